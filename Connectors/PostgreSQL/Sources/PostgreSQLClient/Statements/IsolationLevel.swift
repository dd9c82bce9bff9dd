/// How much a transaction sees of others that run at the same time.
///
/// CockroachDB may give a higher level than the one asked for.
public enum IsolationLevel: String, Sendable {
    /// Each statement sees what was committed before it began.
    case readCommitted = "READ COMMITTED"
    /// All statements see what was committed before the first one began.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions had run one after the other.
    case serializable = "SERIALIZABLE"
}
