import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What programs for RealmSwift expect beside values: names, errors, sums, places, descriptions.
@Suite("As programs for RealmSwift expect it")
struct RealmSwiftBehaviourTests {
    private let directory = TemporaryDirectory()

    @Test("two classes of one stored name serve realms with different lists of classes")
    func oneStoredName() throws {
        let first = try directory.open([PierOne.self, PierBoat.self])
        try first.write { first.create(PierOne.self, value: ["name": "a", "boats": [[4]]]) }
        let held = try #require(first.objects(PierOne.self).first)
        let second = try directory.open([PierTwo.self, PierBoat.self])
        try second.write { second.create(PierTwo.self, value: ["title": "b"]) }
        first.refresh()
        #expect(first.objects(PierOne.self).map(\.name) == ["a", "b"] && held.name == "a")
        #expect(second.objects(PierTwo.self).map(\.title) == ["a", "b"])
        try first.write {
            held.name = "c"
            first.create(PierOne.self, value: ["name": "d"])
        }
        #expect(first.dynamicObjects("Pier").count == 3 && first.schema["PierTwo"] == nil)
        #expect(first.schema["PierOne"] != nil && second.schema["PierTwo"] != nil)
        second.refresh()
        #expect(second.objects(PierTwo.self).map(\.title).sorted() == ["b", "c", "d"])
    }

    @Test("a class that has nothing but linking objects is stored")
    func onlyLinkingObjects() throws {
        do {
            let realm = try directory.open([PierFlag.self, PierMast.self])
            try realm.write {
                let flag = realm.create(PierFlag.self)
                realm.create(PierMast.self, value: ["flag": flag])
                realm.add(PierMast(value: ["flag": PierFlag()]))
                realm.dynamicCreate("PierFlag")
            }
        }
        let realm = try directory.open([PierFlag.self, PierMast.self])
        let flags = realm.objects(PierFlag.self)
        #expect(flags.map { $0.masts.count } == [1, 1, 0])
        try realm.write { realm.delete(flags[0]) }
        #expect(realm.objects(PierMast.self).map { $0.flag == nil } == [true, false])
    }

    @Test("`objects(at:)` gives the elements in the order of the collection, each once")
    func positions() throws {
        let realm = try directory.open([PierOne.self, PierBoat.self])
        let pier = PierOne(value: ["name": "a", "boats": [[1], [2], [3]]])
        try realm.write { realm.add(pier) }
        #expect(pier.boats.objects(at: [2, 1]).map(\.size) == [2, 3])
        #expect(pier.boats.objects(at: IndexSet([2, 0])).map(\.size) == [1, 3])
        #expect(realm.objects(PierBoat.self).objects(at: [1, 1]).map(\.size) == [2])
    }

    @Test("the schema version of a realm that is not there fails as in RealmSwift")
    func schemaVersion() throws {
        func code(_ path: String) -> Realm.Error.Code? {
            let error = #expect(throws: Realm.Error.self, "\(path)") {
                try schemaVersionAtURL(URL(fileURLWithPath: path))
            }
            return error?.code
        }
        #expect(code(directory.url.path) == .fail)
        #expect(code("/dev/null") == .fileAccess)
        _ = try directory.open([PierFlag.self, PierMast.self])
        #expect(try schemaVersionAtURL(directory.url) == 0)
    }

    @Test(
        "a path under a file can't be accessed, for reading or writing", arguments: [false, true])
    func underAFile(readOnly: Bool) throws {
        _ = try directory.open([PierFlag.self, PierMast.self])
        let file = directory.url.appendingPathComponent("text")
        try Data("text".utf8).write(to: file)
        for path in [file.appendingPathComponent("realm"), URL(fileURLWithPath: "/dev/null/foo")] {
            let error = #expect(throws: Realm.Error.self, "\(path)") {
                try Realm(
                    configuration: Realm.Configuration(
                        fileURL: path, readOnly: readOnly, objectTypes: [PierFlag.self]))
            }
            #expect(error?.code == .fileAccess, "\(path)")
        }
    }

    @Test("descriptions inside of descriptions are further in, at every depth")
    func descriptions() throws {
        let realm = try directory.open([PierOne.self, PierBoat.self])
        let pier = PierOne(value: ["name": "a", "boats": [[1]], "any": [["k": [2]]]])
        pier.first = pier.boats[0]
        let text = """
            PierOne {
            \tname = a;
            \tfirst = PierBoat {
            \t\tsize = 1;
            \t};
            \tboats = List<PierBoat> (
            \t\t[0] PierBoat {
            \t\t\tsize = 1;
            \t\t}
            \t);
            \tany = List<AnyRealmValue> (
            \t\t[0] Map<String, AnyRealmValue> (
            \t\t\t[k]: List<AnyRealmValue> (
            \t\t\t\t[0] 2
            \t\t\t)
            \t\t)
            \t);
            }
            """
        #expect(pier.description == text, "\(pier.description)")
        try realm.write { realm.add(pier) }
        #expect(pier.description == text)
        let boat = "PierBoat {\n\t\tsize = 1;\n\t}"
        #expect(realm.objects(PierBoat.self).description == "Results<PierBoat> (\n\t[0] \(boat)\n)")
    }

    @Test("descriptions of linking objects are indented too")
    func linkingDescriptions() throws {
        let realm = try directory.open([PierFlag.self, PierMast.self])
        try realm.write { realm.add(PierMast(value: ["flag": PierFlag()])) }
        #expect(
            realm.objects(PierFlag.self).first?.masts.description
                == "LinkingObjects<PierMast> (\n\t[0] PierMast {\n\t\tflag = PierFlag {\n"
                + "\t\t};\n\t}\n)")
    }
}

/// What they expect of values that are in no realm.
@Suite("Values outside of realms, as programs for RealmSwift expect them")
struct RealmSwiftFreeValueTests {
    @Test("places at different altitudes are different points, and the same place in areas")
    func altitudes() throws {
        let low = try #require(GeoPoint(latitude: 5, longitude: 6))
        let high = try #require(GeoPoint(latitude: 5, longitude: 6, altitude: 9))
        #expect(low != high && Set([low, high]).count == 2 && high == high)
        #expect(GeoCircle(center: low, radiusInRadians: 0)?.contains(high) == true)
        let corners = try [(0.0, 0.0), (0, 9), (9, 9)].map {
            try #require(GeoPoint(latitude: $0.0, longitude: $0.1))
        }
        let last = try #require(GeoPoint(latitude: 0, longitude: 0, altitude: 4))
        #expect(try GeoPolygon(validating: corners + [last]).contains(high))
        #expect(throws: Realm.Error.self) {
            try GeoPolygon(validating: corners + [low, high] + corners.prefix(1))
        }
    }

    @Test("the sum of no numbers of any type is the integer 0")
    func emptySum() throws {
        let values = List<AnyRealmValue>()
        #expect(values.sum() == .int(0))
        values.append(.string("a"))
        #expect(values.sum() == .int(0))
        values.append(objectsIn: [.int(1), .double(0.5)])
        #expect(values.sum() == .decimal128("1.5"))
    }

    @Test("decimals keep the standard's arithmetic and text")
    func decimals() {
        #expect(Decimal128(value: "1.5E2").description == "1.5E+2")
        #expect(Decimal128(value: "12.50").description == "12.50")
        #expect((Decimal128(value: "1.20") + Decimal128(value: "1.30")).description == "2.50")
        #expect(Decimal128(value: "12.50") == Decimal128(value: "12.5"))
    }
}

final class PierOne: Object {
    @Persisted var name: String
    @Persisted var first: PierBoat?
    @Persisted var boats: List<PierBoat>
    @Persisted var any: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func _realmObjectName() -> String? { "Pier" }
}

/// The same objects by another name of a property.
final class PierTwo: Object {
    @Persisted var title: String
    @Persisted var first: PierBoat?
    @Persisted var boats: List<PierBoat>
    @Persisted var any: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["title": "name"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func _realmObjectName() -> String? { "Pier" }
}

final class PierBoat: Object {
    @Persisted var size: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class PierFlag: Object {
    @Persisted(originProperty: "flag") var masts: LinkingObjects<PierMast>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class PierMast: Object {
    @Persisted var flag: PierFlag?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
