import Dispatch
import RealmSwift
import TestSupport

/// Observes on a queue, by ten observations that come and go.
///
/// Blocks only count. What they counted is compared with what the realm shows when it rests.
final class SoakWatcher: @unchecked Sendable {
    static let observationCount = 10

    private let queue: DispatchQueue
    private let configuration: Realm.Configuration
    // What follows is used on the queue only.
    private var realm: Realm?
    private var random: SeededRandom
    private var observed: [Observed] = []
    private var reportCount = 0

    /// One observation.
    private final class Observed {
        var token: NotificationToken?
        /// What the reports make of the number of elements; nil for what has none.
        var count: Int?
        /// The number of elements that there are.
        var current: () -> Int = { 0 }
    }

    init(_ number: Int, _ configuration: Realm.Configuration) {
        queue = DispatchQueue(label: "watcher \(number)")
        random = SeededRandom(seed: 1000 + UInt64(number))
        self.configuration = configuration
    }

    /// Begins some observations in place of as many older ones.
    func replace(_ count: Int, _ problems: Problems) {
        queue.async { [self] in
            do {
                let realm = try self.realm ?? Realm(configuration: configuration, queue: queue)
                self.realm = realm
                for _ in 0..<count where !observed.isEmpty {
                    observed.remove(at: random.below(observed.count)).token?.invalidate()
                }
                while observed.count < Self.observationCount {
                    observed.append(observe(realm))
                }
            } catch {
                problems.note("a watcher failed: \(error)")
            }
        }
    }

    /// Ends all observations, and lets go of the realm.
    func close() {
        queue.sync {
            observed = []
            realm = nil
        }
    }

    /// Shows the newest version. The number of reports, and what they do not say.
    func rest() -> (reportCount: Int, problems: [String]) {
        queue.sync {
            _ = realm?.refresh()
            let problems = observed.compactMap { thing -> String? in
                guard let count = thing.count, count != thing.current() else { return nil }
                return "reports lead to \(count) elements, and there are \(thing.current())"
            }
            return (reportCount, problems)
        }
    }

    // MARK: Observing

    private func observe(_ realm: Realm) -> Observed {
        let accounts = realm.objects(SoakAccount.self)
        let group = random.below(SoakAccount.groupCount)
        let account = realm.object(
            ofType: SoakAccount.self, forPrimaryKey: random.below(SoakAccount.count))
        guard let account else { return Observed() }
        switch random.below(11) {
        case 0: return observe(accounts.where { $0.group == group })
        case 1:
            return observe(
                accounts.where { $0.balance > 900 }.sorted(byKeyPath: "balance", ascending: false))
        case 2: return observe(accounts.where { $0.partner.group == group })
        case 3: return observe(realm.objects(SoakEvent.self).sorted(byKeyPath: "number"))
        case 4: return observe(accounts.distinct(by: ["group"]))
        case 5: return observe(account.tags)
        case 6: return observe(account.partners)
        case 7: return only { $0.token = accounts.sectioned(by: \.group).observe(self.counting()) }
        case 8: return only { $0.token = account.observe(self.counting()) }
        case 9: return only { $0.token = account.totals.observe(self.counting()) }
        default:
            return only {
                $0.token = realm.observe { [unowned self] _, _ in reportCount += 1 }
            }
        }
    }

    private func observe<Elements: RealmCollection>(_ elements: Elements) -> Observed {
        only { thing in
            thing.current = { elements.count }
            thing.token = elements.observe { [unowned self, unowned thing] change in
                reportCount += 1
                switch change {
                case .initial(let elements): thing.count = elements.count
                case .update(_, let deletions, let insertions, _):
                    thing.count = (thing.count ?? 0) + insertions.count - deletions.count
                case .error: thing.count = -1
                }
            }
        }
    }

    private func counting<Change>() -> (Change) -> Void {
        { [unowned self] _ in reportCount += 1 }
    }

    private func only(_ body: (Observed) -> Void) -> Observed {
        let thing = Observed()
        body(thing)
        return thing
    }
}
