import TravertineStore

/// A step into a list or dictionary that a value of any type is.
package enum MixedStep: Hashable, Sendable {
    /// To an element of a list.
    case position(Int)
    /// To the value under a key, in UTF-8.
    case key([UInt8])
}

/// The form in which a path is written down: for each step `00` and a position u32, or `01` and a
/// counted key; little-endian, counts are u32.
extension [MixedStep] {
    var stored: [UInt8] {
        var writer = ByteWriter()
        for step in self {
            switch step {
            case .position(let position):
                writer.append(UInt8(0))
                writer.append(UInt32(clamping: position))
            case .key(let key):
                writer.append(UInt8(1))
                writer.append(counted: key)
            }
        }
        return writer.bytes
    }

    init(stored: [UInt8]) throws(SchemaDamage) {
        self = try stored.withBytes { (bytes) throws(SchemaDamage) in
            try Self(stored: ByteReader(bytes))
        }
    }

    private init(stored: ByteReader) throws(SchemaDamage) {
        self = []
        var reader = stored
        while !reader.isAtEnd {
            switch try reader.take(UInt8.self) {
            case 0: append(.position(Int(try reader.take(UInt32.self))))
            case 1: append(.key(try reader.takeCounted()))
            default: throw SchemaDamage()
            }
        }
    }
}
