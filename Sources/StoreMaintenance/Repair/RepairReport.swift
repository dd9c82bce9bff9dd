/// What a repair found, did, and left.
public struct RepairReport: Sendable, Codable, Equatable {
    /// What was found before anything was changed.
    public var before: VerificationReport
    /// What was done, in whole sentences; empty if nothing was to be done, or nothing could be.
    public var actions: [String] = []
    /// The directory with copies of the files as they were before.
    public var backupPath: String?
    /// What was found after the repair; nil if nothing was changed.
    public var after: VerificationReport?

    /// Whether the store is sound now.
    public var isSound: Bool { (after ?? before).isSound }
}
