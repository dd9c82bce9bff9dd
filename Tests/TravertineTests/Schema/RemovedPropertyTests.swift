import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Properties that are removed")
struct RemovedPropertyTests {
    private let directory = TemporaryDirectory()

    private func fill() throws {
        let realm = try directory.open([GraftV1.self, Scion.self, Bud.self, Sport.self])
        try realm.write {
            for id in 0..<3 {
                let graft = GraftV1(value: ["id": id])
                graft.numbers.append(objectsIn: 0..<2000)
                graft.texts.insert(objectsIn: (0..<300).map { "text \($0)" })
                let inner = AnyRealmValue.fromDictionary(["a": .fromArray([.int(2)])])
                graft.anything = .fromArray([.int(1), inner])
                graft.things["x"] = .fromArray([.object(graft)])
                graft.scion = Scion(value: ["name": "one", "bud": ["size": 1]])
                for number in 0..<200 {
                    graft.scions.append(
                        Scion(value: ["name": "\(number)", "bud": ["size": number]]))
                }
                graft.named["a"] = Scion(value: ["name": "named"])
                graft.buds.append(objectsIn: [Bud(value: ["size": 5]), Sport(value: ["size": 6])])
                graft.kept.append(Bud(value: ["size": 7]))
                realm.add(graft)
            }
        }
    }

    /// What belongs to nobody, and what is left in keyspaces.
    private func check(_ realm: Realm, budCount: Int) throws {
        #expect(realm.objects(Bud.self, includingSubclasses: true).count == budCount)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("take the embedded objects that they own, and the nodes of their collections, with them")
    func removed() throws {
        try fill()
        do {
            var configuration = Realm.Configuration(
                fileURL: directory.url, schemaVersion: 1,
                objectTypes: [GraftV2.self, Scion.self, Bud.self, Sport.self], durability: .unsynced
            )
            configuration.discardsChangedProperties = true
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(Scion.self).isEmpty)
            try check(realm, budCount: 3)
            let grafts = realm.objects(GraftV2.self)
            #expect(grafts.map(\.id) == [0, 1, 2])
            #expect(grafts.allSatisfy { $0.kept.map(\.size) == [7] && $0.numbers.isEmpty })
            let pieces = realm.session.table(of: GraftV2.self).stored.pieces
            #expect(try realm.session.access.count(in: pieces) == 0)
            try realm.write {
                grafts[0].numbers.insert(objectsIn: [3, 4])
                grafts[1].kept.append(Bud(value: ["size": 8]))
            }
            try check(realm, budCount: 4)
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("nothing of that is done when the classes are refused")
    func refused() throws {
        try fill()
        do {
            let open = try directory.open([GraftV1.self, Scion.self, Bud.self, Sport.self])
            let refusal = #expect(throws: Realm.Error.self) {
                try directory.open([GraftV2.self, Scion.self, Bud.self, Sport.self], version: 1)
            }
            #expect(refusal?.code == .alreadyOpen, "\(refusal?.message ?? "")")
            #expect(open.objects(Scion.self).count == 606)
            #expect(open.objects(GraftV1.self).allSatisfy { $0.numbers.count == 2000 })
            try check(open, budCount: 612)
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }
}

class GraftV1: Object {
    override class func objectTypeName() -> String { "Graft" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int>
    @Persisted var texts: MutableSet<String>
    @Persisted var anything: AnyRealmValue
    @Persisted var things: Map<String, AnyRealmValue>
    @Persisted var scion: Scion?
    @Persisted var scions: List<Scion>
    @Persisted var named: Map<String, Scion?>
    @Persisted var buds: List<Bud>
    @Persisted var kept: List<Bud>
}

class GraftV2: Object {
    override class func objectTypeName() -> String { "Graft" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: MutableSet<Int>
    @Persisted var kept: List<Bud>
}

class Scion: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(indexed: true) var name: String
    @Persisted var bud: Bud?
}

class Bud: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var size: Int
}

class Sport: Bud {}
