/// How far a verification has come.
public struct VerificationProgress: Sendable {
    /// What is being verified.
    public var step: String
    /// Bytes verified, and bytes there are to verify in all.
    public var byteCount: UInt64
    /// How far there is to go, in the same unit.
    public var totalByteCount: UInt64
}
