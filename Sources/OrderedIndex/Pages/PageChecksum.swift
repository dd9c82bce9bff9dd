/// Whether bytes that were read from a page file are the page that they should be.
package enum PageChecksum {
    /// The size of a page.
    package static let pageByteCount = Node.byteCount

    /// True when the checksum at the end of a page matches its bytes, its number and its file's
    /// seed.
    ///
    /// `start` has `pageByteCount` readable bytes. Says nothing about what is in the page.
    package static func matches(
        _ start: UnsafeRawPointer, page: UInt32, seed: UInt64
    ) -> Bool {
        let stored = UInt32(
            littleEndian: start.loadUnaligned(
                fromByteOffset: Node.checksumOffset, as: UInt32.self))
        return stored == PageFile.checksum(of: start, page: page, seed: seed)
    }
}
