import Foundation
import RealmSwift

/// Tokens and a realm of a queue, used on it.
final class Held: @unchecked Sendable {
    var tokens: [NotificationToken] = []
    var realm: Realm?
}

/// What blocks on other threads were notified of.
final class SharedReports: @unchecked Sendable {
    private let condition = NSCondition()
    private let reports = Reports()
    private var told: [String] = []

    var all: [String] {
        condition.lock()
        defer { condition.unlock() }
        return told
    }

    func note(_ text: String) { add { reports.note(text) } }

    func note<Base>(_ change: RealmCollectionChange<Base>) { add { reports.note(change) } }

    func note<Base>(_ change: ObjectChange<Base>) { add { reports.note(change) } }

    private func add(_ note: () -> Void) {
        condition.lock()
        note()
        told += reports.take()
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until what was reported is as expected.
    func wait(_ expected: ([String]) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: 60)
        while !expected(told) {
            if !condition.wait(until: end) { return expected(told) }
        }
        return true
    }
}
