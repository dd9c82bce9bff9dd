/// How far a salvage has come.
public struct SalvageProgress: Sendable {
    /// What is being done: `scanning`, `reading` or `writing`.
    public var step: String
    /// How much of it is done.
    public var done: UInt64
    /// How much there is in all, in the same unit: bytes, or records for `writing`.
    public var total: UInt64
}
