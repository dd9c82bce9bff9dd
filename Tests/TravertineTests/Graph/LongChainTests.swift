import Foundation
import RealmSwift
import TestSupport
import Testing

/// Chains of objects that link to each other, too long for anything that goes down them by calling
/// itself.
@Suite("Long chains of linked objects")
struct LongChainTests {
    /// The environment's TRAVERTINE_CHAIN sets it; a million takes a debug build a minute.
    private static let count =
        ProcessInfo.processInfo.environment["TRAVERTINE_CHAIN"].flatMap { Int($0) } ?? 100_000

    private static func chain() -> RopeLink {
        let first = RopeLink(value: ["id": 0])
        var last = first
        for id in 1..<count {
            let next = RopeLink(value: ["id": id])
            last.next = next
            last = next
        }
        return first
    }

    private static func length(of first: RopeLink) -> Int {
        var (link, count) = (first, 1)
        while let next = link.next { (link, count) = (next, count + 1) }
        return count
    }

    @Test("are added, described, copied, detached, moved and deleted by cascade")
    func wholeLife() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([RopeLink.self])
        let first = Self.chain()
        #expect(first.description.count < 100_000)
        try realm.write { realm.add(first) }
        #expect(realm.objects(RopeLink.self).count == Self.count)
        #expect(first.description.count < 100_000 && first.next?.next?.id == 2)

        let detached = first.detached()
        #expect(detached.realm == nil && Self.length(of: detached) == Self.count)
        #expect(Self.length(of: first.detached(depth: 3)) == 4)

        let target = TemporaryDirectory()
        let copies = try target.open([RopeLink.self])
        try copies.write { copies.create(RopeLink.self, value: first) }
        #expect(copies.objects(RopeLink.self).count == Self.count)
        // A copy that is updated goes through all of it again.
        try copies.write {
            copies.create(RopeLink.self, value: first, update: .modified)
        }
        #expect(copies.objects(RopeLink.self).count == Self.count)

        try realm.write { realm.delete(first) }
        #expect(realm.objects(RopeLink.self).isEmpty)
        try copies.write { copies.deleteAll() }
        #expect(copies.objects(RopeLink.self).isEmpty)
    }
}

final class RopeLink: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(deleteRule: .cascade) var next: RopeLink?
}
