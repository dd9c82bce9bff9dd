/// Whether a bad document of BSON ends where its length says, by the lengths of its values alone.
enum BSONEnd {
    /// Whether the values of a document end with its last byte but one, or at one whose type, and
    /// so whose length, nobody knows, and the last byte is the zero that ends it.
    ///
    /// A length that is damaged ends inside a value, or after the zero of the document itself.
    static func isSound(_ document: UnsafeRawBufferPointer) -> Bool {
        let end = document.count - 1
        guard end >= 4, document[end] == 0 else { return false }
        var offset = 4
        while offset < end {
            let type = document[offset]
            if type == 0 { return false }
            guard let name = terminator(document, from: offset + 1, end) else { return false }
            guard let size = size(ofType: type, document, at: name + 1, end) else { return true }
            guard size >= 0, size <= end - (name + 1) else { return false }
            offset = name + 1 + size
        }
        return true
    }

    /// The place of the next zero.
    private static func terminator(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ end: Int
    ) -> Int? {
        guard start < end else { return nil }
        return bytes[start..<end].firstIndex(of: 0)
    }

    /// The bytes of a value; -1 if they are not there, nil for a type that there is not.
    private static func size(
        ofType type: UInt8, _ bytes: UnsafeRawBufferPointer, at start: Int, _ end: Int
    ) -> Int? {
        func counted(_ more: Int) -> Int {
            guard end - start >= 4 else { return -1 }
            let count = bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)
            let size = Int(Int32(littleEndian: count)) + more
            return size >= 4 ? size : -1
        }
        switch type {
        case 0x06, 0x0A, 0x7F, 0xFF: return 0
        case 0x08: return 1
        case 0x10: return 4
        case 0x01, 0x09, 0x11, 0x12: return 8
        case 0x07: return 12
        case 0x13: return 16
        case 0x02, 0x0D, 0x0E: return counted(4)
        case 0x05: return counted(5)
        case 0x03, 0x04, 0x0F: return counted(0)
        case 0x0C:
            let text = counted(4)
            return text < 0 ? -1 : text + 12
        case 0x0B:
            guard let pattern = terminator(bytes, from: start, end),
                let options = terminator(bytes, from: pattern + 1, end)
            else { return -1 }
            return options + 1 - start
        default: return nil
        }
    }
}
