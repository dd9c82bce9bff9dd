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
        /// Files that the pass in progress must read, 0 if there is none.
        public var fileCount: Int
        /// Files of these that are done.
        public var verifiedFileCount: Int
        /// Bytes that were verified since the store was opened.
        public var verifiedByteCount: UInt64
        /// What the pass in progress and the one before found in this process.
        public var findings: [String]
    }
}
