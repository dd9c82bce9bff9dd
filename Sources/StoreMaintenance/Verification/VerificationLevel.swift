/// How much `StoreVerifier` reads.
public enum VerificationLevel: String, Sendable, Codable, CaseIterable {
    /// What opening reads: manifest, the headers of segments and checkpoints, and the log after the
    /// newest checkpoint.
    case quick
    /// Every byte: all checksums, and every checkpoint against the whole log in both directions.
    case standard
    /// The same, and besides that the index is built anew from the log, compared key by key, and
    /// every key's record is read through it. Takes memory for the whole index.
    case deep
}
