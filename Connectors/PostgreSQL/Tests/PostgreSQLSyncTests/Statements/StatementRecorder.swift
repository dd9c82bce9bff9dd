import Synchronization

/// Remembers the statements that were sent, each once.
final class StatementRecorder: Sendable {
    private let statements = Mutex<[String: Int]>([:])

    /// Takes a statement.
    func note(_ statement: String) {
        statements.withLock { statements in
            if statements[statement] == nil { statements[statement] = statements.count }
        }
    }

    /// The statements, in the order in which each was sent first.
    var all: [String] {
        statements.withLock { $0.sorted { $0.value < $1.value }.map(\.key) }
    }
}
