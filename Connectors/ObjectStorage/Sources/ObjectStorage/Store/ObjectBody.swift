/// What a put stores: bytes in memory, or a part of a file.
public struct ObjectBody: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case bytes([UInt8])
        case file(path: String, offset: UInt64, byteCount: UInt64?)
    }

    let source: Source

    /// Bytes in memory.
    public static func bytes(_ bytes: some Sequence<UInt8>) -> ObjectBody {
        ObjectBody(source: .bytes(Array(bytes)))
    }

    /// A file, from `offset` for `byteCount` bytes or to its end as of now.
    ///
    /// The file is read twice, in small pieces: once for its checksum and once to be sent. If it
    /// changes in between, the put fails.
    public static func file(
        _ path: String, offset: UInt64 = 0, byteCount: UInt64? = nil
    ) -> ObjectBody {
        ObjectBody(source: .file(path: path, offset: offset, byteCount: byteCount))
    }
}
