/// What a full pass of verification found: of one that goes on where an earlier process stopped,
/// what it found in this process. `ScrubStatistics` counts the whole pass.
public struct ScrubReport: Sendable, Codable, Equatable {
    /// Sealed segments and page files that were read to the end.
    public var fileCount = 0
    /// Bytes that were verified.
    public var byteCount: UInt64 = 0
    /// What does not match its checksum or could not be read, the first place of each file.
    public var findings: [String] = []

    /// A pass that read nothing.
    public init() {}
}
