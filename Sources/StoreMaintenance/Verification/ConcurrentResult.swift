import Dispatch
import TravertineStore

/// Work that another thread does while the caller goes on.
///
/// The work and its result belong to one thread at a time: to the other until it is done, then, by
/// way of `result`, to the caller.
final class ConcurrentResult<Value>: @unchecked Sendable {
    private let group = DispatchGroup()
    private var work: (() -> Value)?
    private var value: Value?

    /// Begins the work; without threads it is done at once.
    init(ofThreads usesThreads: Bool, _ work: @escaping () -> Value) {
        self.work = work
        if usesThreads {
            DispatchQueue.global(qos: .userInitiated).async(group: group) { self.run() }
        } else {
            run()
        }
    }

    private func run() {
        value = work?()
        work = nil
    }

    /// What came out. Waits for it; once.
    var result: Value {
        group.wait()
        guard let value else { preconditionFailure("the work did not run") }
        return value
    }
}
