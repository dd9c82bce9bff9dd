/// Offsets inside a record, and the limits of its parts.
///
///      0 checksum        u32   CRC32C of bytes 4 ..< end of the value, begun with salt and offset
///      4 distance        u32   back to the first byte of its batch
///      8 kind            u8
///      9 flags           u8    bit 0: the value is LZ4
///     10 key length      u16
///     12 keyspace        u32
///     16 value length    u32   stored bytes
///     20 extension             moves only: original LSN u64, source location u64
///        key, value, zeros up to a multiple of 8
public enum RecordLayout {
    /// The offset of the checksum.
    @inlinable public static var checksum: Int { 0 }
    /// The offset of the distance back to the batch: the first byte that the checksum covers.
    @inlinable public static var distance: Int { checksum &+ 4 }
    /// The offset of the kind.
    @inlinable public static var kind: Int { distance &+ 4 }
    /// The offset of the flags.
    @inlinable public static var flags: Int { kind &+ 1 }
    /// The offset of the key's length.
    @inlinable public static var keyByteCount: Int { flags &+ 1 }
    /// The offset of the keyspace.
    @inlinable public static var keyspace: Int { keyByteCount &+ 2 }
    /// The offset of the value's length.
    @inlinable public static var valueByteCount: Int { keyspace &+ 4 }
    /// The size of what every record begins with.
    @inlinable public static var headerByteCount: Int { valueByteCount &+ 4 }
    /// The offset of a move's original LSN.
    @inlinable public static var originalLSN: Int { headerByteCount }
    /// The offset of a move's source location.
    @inlinable public static var sourceLocation: Int { originalLSN &+ 8 }
    /// The size of what a move begins with.
    @inlinable public static var moveHeaderByteCount: Int { sourceLocation &+ 8 }
    /// The size of what only moves have, after the header.
    @inlinable public static var extensionByteCount: Int {
        moveHeaderByteCount &- headerByteCount
    }

    /// Flag bit: the stored value is a u32 uncompressed length and an LZ4 block.
    @inlinable public static var compressedFlag: UInt8 { 1 }
    /// The longest key.
    @inlinable public static var keyByteCountMax: Int { 512 }
    /// The longest stored value.
    @inlinable public static var valueByteCountMax: Int { 32 << 20 }

    /// Records, and all other structures of a segment, begin at multiples of this.
    @inlinable public static var alignment: Int { 8 }
    /// The stored size of the smallest record.
    static var byteCountMin: Int { padded(headerByteCount) }

    /// The next multiple of `alignment`: a record's stored size, from its size without padding.
    @inlinable @inline(__always)
    public static func padded(_ contentByteCount: Int) -> Int {
        (contentByteCount &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    /// The size of a record without padding, with so many bytes of key and stored value.
    @inlinable @inline(__always)
    public static func contentByteCount(key: Int, value: Int, isMove: Bool) -> Int {
        (isMove ? moveHeaderByteCount : headerByteCount) &+ key &+ value
    }

    /// The stored size of a record with so many bytes of key and value, padding included.
    @inlinable @inline(__always)
    public static func paddedByteCount(key: Int, value: Int, isMove: Bool) -> Int {
        padded(contentByteCount(key: key, value: value, isMove: isMove))
    }
}
