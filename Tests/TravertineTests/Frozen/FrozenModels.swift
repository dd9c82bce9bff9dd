import Foundation
import RealmSwift

/// A valley of glaciers: every kind of property that something frozen can have.
class Valley: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var depth = 0.0
    @Persisted var note: String?
    @Persisted var glacier: Glacier?
    @Persisted var glaciers: List<Glacier>
    @Persisted var heights: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var measures: Map<String, Double>
    @Persisted var nearest: Map<String, Glacier?>
    @Persisted var hut: Hut?
    @Persisted var huts: List<Hut>
    @Persisted var anything: AnyRealmValue
    @Persisted(originProperty: "valley") var streams: LinkingObjects<Stream>

    static let classes: [ObjectBase.Type] = [
        Valley.self, Glacier.self, Hut.self, Stream.self, OldStyle.self,
    ]
}

/// What a valley was before.
class NarrowValley: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String

    override class func _realmObjectName() -> String? { "Valley" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Without primary key.
class Glacier: Object {
    @Persisted var name: String
    @Persisted var length = 0
    @Persisted(originProperty: "glaciers") var valleys: LinkingObjects<Valley>
}

class Hut: EmbeddedObject {
    @Persisted var beds: Int
}

class Stream: Object {
    @Persisted var valley: Valley?
    @Persisted var flow = 0
}

/// Properties without wrapper.
class OldStyle: Object {
    let numbers = List<Int>()
    let count = RealmProperty<Int?>()
    let friends = List<OldStyle>()
    let backs = LinkingObjects(fromType: OldStyle.self, property: "friends")
}

class ValleyView: Projection<Valley> {
    @Projected(\Valley.name) var name
    @Projected(\Valley.glacier?.name) var glacierName
    @Projected(\Valley.glaciers.projectTo.length) var lengths: ProjectedCollection<Int>
}

/// Runs `body` on so many threads at once, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let group = DispatchGroup()
    nonisolated(unsafe) var failures = [(any Error)?](repeating: nil, count: count)
    let lock = NSLock()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            do {
                try body(number)
            } catch {
                lock.withLock { failures[number] = error }
            }
            group.leave()
        }
    }
    group.wait()
    if let failure = lock.withLock({ failures.compactMap(\.self).first }) { throw failure }
}

/// Adds a valley with something in every property.
func addValley(_ realm: Realm, _ id: Int) -> Valley {
    let valley = realm.create(
        Valley.self,
        value: [
            "id": id, "name": "valley \(id)", "depth": Double(id) / 2, "heights": [id, id + 1],
            "words": ["a\(id)", "b"], "measures": ["snow": Double(id)], "hut": ["beds": id],
            "huts": [["beds": 1], ["beds": 2]],
        ] as [String: Any])
    let glaciers = (0..<3).map { number in
        realm.create(Glacier.self, value: ["name": "g\(id).\(number)", "length": number])
    }
    valley.glacier = glaciers[0]
    valley.glaciers.append(objectsIn: glaciers)
    valley.nearest["first"] = glaciers[1]
    valley.anything = .list([.int(id), .string("x"), .object(glaciers[2])])
    realm.create(Stream.self, value: ["valley": valley, "flow": id])
    return valley
}
