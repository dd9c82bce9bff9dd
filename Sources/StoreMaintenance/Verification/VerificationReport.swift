import TravertineStore

/// What a verification of a store found.
public struct VerificationReport: Sendable, Codable, Equatable {
    /// One thing that is not as it should be.
    public struct Finding: Sendable, Codable, Equatable {
        /// How bad it is.
        public enum Severity: String, Sendable, Codable, Comparable {
            /// Worth knowing; nothing is wrong.
            case note
            /// Nothing is lost, but something is not as a clean store leaves it.
            case warning
            /// Data is damaged or missing.
            case error

            /// Notes come before warnings, warnings before errors.
            public static func < (left: Severity, right: Severity) -> Bool {
                left.rank < right.rank
            }

            private var rank: Int { self == .note ? 0 : self == .warning ? 1 : 2 }
        }

        /// How bad it is.
        public var severity: Severity
        /// The file concerned, by its name in the store's directory.
        public var file: String?
        /// The byte offset in it.
        public var offset: UInt64?
        /// The log sequence number concerned.
        public var lsn: UInt64?
        /// What was found.
        public var message: String
        /// What it means and what to do.
        public var advice: String

        /// A finding without a place in a file.
        package init(_ severity: Severity, _ message: String, advice: String) {
            self.init(
                severity: severity, file: nil, offset: nil, lsn: nil, message: message,
                advice: advice)
        }

        init(
            severity: Severity, file: String?, offset: UInt64?, lsn: UInt64?, message: String,
            advice: String
        ) {
            self.severity = severity
            self.file = file
            self.offset = offset
            self.lsn = lsn
            self.message = message
            self.advice = advice
        }
    }

    /// The directory.
    public var path: String
    /// Everything that was found, in the order of the steps.
    public var findings: [Finding] = []
    /// What was verified.
    public var segmentCount = 0
    /// Valid batches in all segments.
    public var batchCount = 0
    /// Records in those batches.
    public var recordCount = 0
    /// Index pages of the kept checkpoints.
    public var pageCount = 0
    /// Keys in all keyspaces.
    public var keyCount = 0
    /// Bytes of batches and page files.
    public var byteCount: UInt64 = 0
    /// The newest LSN.
    public var lastLSN: UInt64 = 0
    /// Whether the store was closed cleanly.
    public var wasClosedCleanly = false
    /// How much was read.
    public var level = VerificationLevel.standard
    /// Whether the log replays as a whole up to what is known to be durable: then nothing is lost,
    /// and `StoreRepair` can repair what else is wrong. Never true at level `.quick`, which reads
    /// only the log after a checkpoint.
    public var isLogWhole = false
    /// Whether a checkpoint's counters of live bytes differ from what the log says.
    public var countersAreWrong = false

    /// The worst severity, or nil if nothing was found.
    public var worst: Finding.Severity? { findings.map(\.severity).max() }
    /// Whether nothing is damaged or missing.
    public var isSound: Bool { worst ?? .note < .error }

    mutating func add(
        _ severity: Finding.Severity, _ message: String, advice: String, file: String? = nil,
        offset: UInt64? = nil, lsn: UInt64? = nil
    ) {
        findings.append(
            Finding(
                severity: severity, file: file, offset: offset, lsn: lsn, message: message,
                advice: advice))
    }
}
