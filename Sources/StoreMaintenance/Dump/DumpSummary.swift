/// What a dump held, or what a load brought in.
public struct DumpSummary: Sendable, Codable, Equatable {
    /// The UUID of the store that was dumped.
    public var storeUUID: String
    /// The LSN of the newest commit that the dump shows.
    public var lsn: UInt64
    /// Keyspaces, derived and dropped ones included.
    public var keyspaceCount: Int
    /// Keys of all keyspaces.
    public var recordCount: Int
    /// Bytes of the dump.
    public var byteCount: UInt64
}
