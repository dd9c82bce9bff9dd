import SegmentLog

/// A file of a store that is open for being carried elsewhere, as it is stored.
///
/// Any thread may read it. It is closed with the object.
public final class BackupSourceFile: Sendable {
    private let file: File
    /// The bytes that count.
    public let byteCount: UInt64

    init(_ file: File, byteCount: UInt64) {
        self.file = file
        self.byteCount = byteCount
    }

    deinit { file.close() }

    /// The bytes of a range within those that count.
    ///
    /// - Throws: `.damaged` where the file is shorter, `.io`.
    public func bytes(_ range: Range<UInt64>) throws(StoreError) -> [UInt8] {
        precondition(range.upperBound <= byteCount, "the range ends after the bytes that count")
        let bytes = try file.bytes(at: range.lowerBound, byteCount: range.count)
        guard bytes.count == range.count else {
            throw StoreError(
                .damaged, "The file is shorter than it must be. Run `travertine fsck`.",
                file: file.path, offset: range.lowerBound + UInt64(bytes.count))
        }
        return bytes
    }
}
