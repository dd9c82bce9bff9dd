import SegmentLog

/// One file of a backup.
package struct BackupFile: Hashable {
    /// Its bytes in the list.
    static let byteCount = 4 + 4 + 8 + 8 + 8

    /// What a file of a backup is.
    enum Kind: UInt32 {
        case segment = 0
        case pages = 1
    }

    var kind: Kind
    var number: UInt32
    /// The salt of a segment, or the seed of a page file: no other file has it.
    var mark: UInt64
    /// The bytes that count; a file may be longer.
    package var byteCount: UInt64

    /// Its name, in the store and in the backup.
    package var name: String {
        switch kind {
        case .segment: SegmentNumber(rawValue: number).fileName
        case .pages: StoreFiles.pageFile(number)
        }
    }

    init(kind: Kind, number: UInt32, mark: UInt64, byteCount: UInt64) {
        self.kind = kind
        self.number = number
        self.mark = mark
        self.byteCount = byteCount
    }

    init?(from reader: inout ByteReader) {
        guard let kind = reader.read(UInt32.self).flatMap({ Kind(rawValue: $0) }),
            let number = reader.read(UInt32.self), let mark = reader.read(UInt64.self),
            let byteCount = reader.read(UInt64.self), let zero = reader.read(UInt64.self),
            number > 0, zero == 0, byteCount < 1 << 48,
            kind != .segment || byteCount <= UInt64(SegmentHeader.segmentByteCountMax)
        else { return nil }
        self.init(kind: kind, number: number, mark: mark, byteCount: byteCount)
    }
}
