/// How far a dump or a load has come.
public struct DumpProgress: Sendable {
    /// Keys done.
    public var recordCount: Int
    /// Keys in all; nil while loading, for only the end of a dump says it.
    public var totalRecordCount: Int?
    /// Bytes of text done.
    public var byteCount: UInt64
}
