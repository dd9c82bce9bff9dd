import Dispatch
import RealmSwift
import TestSupport

/// Writes on a queue: as many transactions as it is asked for, whatever time they take.
final class SoakWriter: @unchecked Sendable {
    // What follows is used on the queue only.
    private let queue: DispatchQueue
    private let configuration: Realm.Configuration
    private var random: SeededRandom
    private var realm: Realm?

    init(_ number: Int, _ configuration: Realm.Configuration) {
        queue = DispatchQueue(label: "writer \(number)")
        random = SeededRandom(seed: UInt64(number))
        self.configuration = configuration
    }

    /// Begins to write; `group` is left at the end.
    func begin(commitCount: Int, _ group: DispatchGroup, _ problems: Problems) {
        queue.async(group: group) { [self] in
            do {
                for _ in 0..<commitCount { try write() }
            } catch {
                problems.note("a writer failed: \(error)")
            }
        }
    }

    /// Shows the newest version, so that none is kept for it.
    func rest() { queue.sync { _ = realm?.refresh() } }

    private func write() throws {
        let realm = try self.realm ?? Realm(configuration: configuration, queue: queue)
        self.realm = realm
        // An end in the middle changes nothing.
        if random.chance(5) {
            realm.beginWrite()
            change(realm)
            realm.cancelWrite()
            return
        }
        try realm.write { for _ in 0...random.below(4) { change(realm) } }
    }

    private func change(_ realm: Realm) {
        guard let account = pick(realm), let other = pick(realm) else { return }
        switch random.below(8) {
        case 0: account.note = text()
        case 1: account.group = random.below(SoakAccount.groupCount)
        case 2:
            if account.tags.count > 8 { account.tags.remove(at: random.below(8)) }
            account.tags.insert(random.below(100), at: random.below(account.tags.count + 1))
        case 3: account.totals["\(random.below(6))"] = random.below(1000)
        case 4: account.partner = random.chance(30) ? nil : other
        case 5:
            let events = realm.objects(SoakEvent.self).sorted(byKeyPath: "number")
            guard let first = events.first, let last = events.last else { return }
            let number = last.number + 1
            realm.delete(first)
            realm.create(SoakEvent.self, value: ["number": number, "text": text()])
        default:
            let amount = random.below(100)
            account.balance -= amount
            other.balance += amount
        }
    }

    private func pick(_ realm: Realm) -> SoakAccount? {
        realm.object(
            ofType: SoakAccount.self, forPrimaryKey: random.below(SoakAccount.count))
    }

    private func text() -> String {
        String(repeating: "\(random.next()) ", count: 1 + random.below(200))
    }
}
