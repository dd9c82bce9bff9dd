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
    /// The offset of the distance back to the batch.
    @inlinable public static var distance: Int { 4 }
    /// The offset of the kind.
    @inlinable public static var kind: Int { 8 }
    /// The offset of the flags.
    @inlinable public static var flags: Int { 9 }
    /// The offset of the key's length.
    @inlinable public static var keyByteCount: Int { 10 }
    /// The offset of the keyspace.
    @inlinable public static var keyspace: Int { 12 }
    /// The offset of the value's length.
    @inlinable public static var valueByteCount: Int { 16 }
    /// The size of what every record begins with.
    @inlinable public static var headerByteCount: Int { 20 }
    /// The size of what only moves have, behind the header.
    @inlinable public static var extensionByteCount: Int { 16 }

    /// Flag bit: the stored value is a u32 uncompressed length and an LZ4 block.
    @inlinable public static var compressedFlag: UInt8 { 1 }
    /// The longest key.
    @inlinable public static var keyByteCountMax: Int { 512 }
    /// The longest stored value.
    @inlinable public static var valueByteCountMax: Int { 32 << 20 }

    /// The stored size of a record with so many bytes of key and value, padding included.
    @inlinable @inline(__always)
    public static func paddedByteCount(key: Int, value: Int, isMove: Bool) -> Int {
        (headerByteCount &+ (isMove ? extensionByteCount : 0) &+ key &+ value &+ 7) & ~7
    }
}
