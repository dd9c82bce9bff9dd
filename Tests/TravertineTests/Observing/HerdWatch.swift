import Dispatch
import Foundation
import Locks

/// What the threads of a test share.
final class HerdWatch: @unchecked Sendable {
    struct State {
        var noticeCount = 0
        var ended: Set<String> = []
        var problems: [String] = []
    }

    private let condition = NSCondition()
    private var state = State()

    private func change(_ body: (inout State) -> Void) {
        condition.lock()
        body(&state)
        condition.broadcast()
        condition.unlock()
    }

    private var current: State {
        condition.lock()
        defer { condition.unlock() }
        return state
    }

    func notice() { change { $0.noticeCount += 1 } }
    func end(_ name: String) { change { $0.ended.insert(name) } }
    func fail(_ text: String) { change { $0.problems.append(text) } }

    var noticeCount: Int { current.noticeCount }
    var problems: [String] { current.problems }
    func hasEnded(_ name: String) -> Bool { current.ended.contains(name) }

    /// Waits until something holds; false after a minute, or after a failure.
    func wait(_ holds: (State) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: 60)
        while !holds(state) {
            if !state.problems.isEmpty || !condition.wait(until: end) { return holds(state) }
        }
        return true
    }
}

/// What threads take one after the other, each once.
final class HerdLine<Element: Sendable>: Sendable {
    private let elements = Locked<[Element?]>([])
    private let available = DispatchSemaphore(value: 0)

    func put(_ element: Element?) {
        elements.withLock { $0.append(element) }
        available.signal()
    }

    /// Lets so many takers end.
    func end(_ count: Int) { for _ in 0..<count { put(nil) } }

    /// The next element; nil at the end.
    func next() -> Element? {
        available.wait()
        return elements.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
