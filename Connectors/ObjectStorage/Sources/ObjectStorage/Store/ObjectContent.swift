/// An object's content, or a range of it, in memory.
public struct ObjectContent: Hashable, Sendable {
    /// The bytes of the range.
    public var bytes: [UInt8]
    /// Where the bytes are in the object.
    public var range: Range<UInt64>
    /// The object's other properties; `byteCount` is that of the whole object.
    public var attributes: ObjectAttributes
}
