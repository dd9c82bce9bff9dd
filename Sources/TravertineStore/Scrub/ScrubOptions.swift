/// How a store verifies its files in the background.
public struct ScrubOptions: Sendable, Hashable {
    /// Bytes that are read in a second, at most; below 4096 counts as 4096.
    public var bytesPerSecond = 4 << 20
    /// Seconds between the end of a full pass and the beginning of the next.
    public var secondsBetweenPasses = 7 * 24 * 3600

    /// The default options: 4 MiB in a second, a pass each week.
    public init() {}
}

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

extension StoreStatistics {
    /// How far the verification in the background has come, and when it was last complete.
    public struct ScrubStatistics: Sendable, Codable {
        /// Whether `StoreOptions.scrub` asks for it.
        public var isEnabled: Bool
        /// Whether `pauseScrub()` was called.
        public var isPaused: Bool
        /// When a full pass last ended, also in an earlier process: seconds since 1970; nil if none
        /// ever did.
        public var lastPassEnd: UInt64?
        /// Bytes that this pass verified.
        public var lastPassByteCount: UInt64
        /// Files in which this pass found damage.
        public var lastPassFindingCount: Int
        /// Files that the pass in progress has to read, 0 if there is none.
        public var fileCount: Int
        /// Files of these that are done.
        public var verifiedFileCount: Int
        /// Bytes that were verified since the store was opened.
        public var verifiedByteCount: UInt64
        /// What the pass in progress and the one before found in this process.
        public var findings: [String]
    }
}
