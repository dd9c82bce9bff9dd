import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments

@Suite("What is imported is whole")
struct ImportIntegrityTests {
    let workspace: Workspace

    init() throws { workspace = Workspace() }

    /// Imports documents; the refusals.
    @discardableResult
    func insert(
        _ realm: Realm, _ type: String, _ documents: Document...
    ) throws -> [String] {
        let importer = try DocumentImporter(realm, type: type)
        var refusals: [String] = []
        try realm.write {
            for document in documents {
                do {
                    try importer.insert(document)
                } catch let refusal as DocumentRefusal {
                    refusals.append(refusal.description)
                }
            }
        }
        return refusals
    }

    func findings() throws -> [String] {
        let path = workspace.directory.appending(path: "a.realm").path
        return try ObjectVerifier.verify(path: path).findings.map(\.message)
    }

    @Test("every index has what was stored and replaced, and nothing of what was refused")
    func indexes() throws {
        func citizen(
            _ id: Int, _ last: AnyBSON, _ age: Int, _ email: AnyBSON, _ notes: AnyBSON
        ) -> Document {
            [
                "_id": .int64(Int64(id)), "last": last, "age": .int64(Int64(age)), "email": email,
                "notes": notes,
            ]
        }
        do {
            let realm = try workspace.realm("a.realm", [Citizen.self])
            let refusals = try insert(
                realm, "Citizen", citizen(1, "a", 3, "x", "red fox"),
                citizen(2, "a", 3, "y", "blue fox"), citizen(3, "a", 3, "x", "grey"),
                citizen(1, "b", 4, "z", "green"), citizen(4, "c", 5, "x", .null),
                citizen(2, "d", 6, "z", "black"))
            #expect(refusals.count == 2)
            #expect(refusals.allSatisfy { $0.contains("email") }, "\(refusals)")
            let citizens = realm.objects(Citizen.self)
            #expect(citizens.map(\._id) == [1, 2, 4])
            #expect(citizens.map(\.email) == ["z", "y", "x"])
            #expect(citizens.where { $0.last == "b" && $0.age == 4 }.map(\._id) == [1])
            #expect(citizens.where { $0.last == "a" && $0.age == 3 }.map(\._id) == [2])
        }
        #expect(try findings() == [])
    }

    @Test("a required link must find its target in the same transaction")
    func requiredLinks() throws {
        let realm = try workspace.realm("a.realm", [Citizen.self, Passport.self])
        let passport: Document = ["_id": 1, "owner": 7]
        #expect(throws: Realm.Error.self) { try insert(realm, "Passport", passport) }
        #expect(realm.objects(Passport.self).isEmpty)
        let passports = try DocumentImporter(realm, type: "Passport")
        let citizens = try DocumentImporter(realm, type: "Citizen")
        try realm.write {
            try passports.insert(passport)
            try citizens.insert(["_id": 7, "last": "a", "age": 1])
        }
        #expect(realm.objects(Passport.self)[0].owner?._id == 7)
        #expect(
            try insert(realm, "Passport", ["_id": 1], ["_id": 1, "owner": .null])
                == ["owner: required, and missing", "owner: required, and null"])
        #expect(realm.objects(Passport.self)[0].owner?._id == 7)
    }

    @Test("asymmetric objects can't be imported, and come to a consumer as documents")
    func asymmetric() throws {
        let realm = try workspace.realm("a.realm", [Sighting.self, Citizen.self])
        #expect(throws: ImportError.asymmetricType("Sighting")) {
            try DocumentImporter(realm, type: "Sighting")
        }
        try realm.write {
            let citizen = Citizen(value: ["_id": 3])
            realm.add(citizen)
            realm.create(
                Sighting.self,
                value: [
                    "_id": 1, "at": Date(timeIntervalSince1970: 2), "by": citizen,
                    "data": Data([1, 2]), "marks": ["a", "b"], "any": ["x": [1, nil]],
                ])
        }
        let entries = try realm.outbox.read()
        let documents = try entries.map { entry in
            try Document(bson: try Document(entry.document).bson())
        }
        #expect(
            documents == [
                [
                    "_id": .int64(1), "at": .datetime(Date(timeIntervalSince1970: 2)),
                    "by": .int64(3), "data": .binary(Data([1, 2])), "marks": ["a", "b"],
                    "any": ["x": .array([.int64(1), .null])],
                ]
            ])
    }

    @Test("replacing under a subset of the schema keeps what the class leaves out")
    func subset() throws {
        func open() throws -> Realm {
            var configuration = Realm.Configuration(
                fileURL: workspace.directory.appending(path: "a.realm"),
                objectTypes: [SmallHouse.self], durability: .unsynced)
            configuration.schemaSubset = true
            return try Realm(configuration: configuration)
        }
        do {
            let realm = try workspace.realm("a.realm", [House.self])
            try realm.write {
                for id in 1...2 {
                    realm.create(
                        House.self,
                        value: [
                            "_id": id, "street": "a", "code": "c\(id)", "floors": 2,
                            "rooms": (0..<400).map { "room \($0)" }, "any": [1, 2],
                        ])
                }
            }
        }
        do {
            let realm = try open()
            let refusals = try insert(
                realm, "House", ["_id": 1, "street": "b"],
                ["_id": 2, "street": "b", "code": "d", "rooms": ["x"]],
                ["_id": 3, "street": "c"])
            #expect(refusals == [])
        }
        #expect(try findings() == [])
        let realm = try workspace.realm("a.realm", [House.self])
        let houses = realm.objects(House.self)
        #expect(houses.map(\.street) == ["b", "b", "c"])
        #expect(houses.map(\.code) == ["c1", "d", nil] && houses.map(\.floors) == [2, 2, 0])
        #expect(houses.map(\.rooms.count) == [400, 1, 0])
        #expect(houses[0].any.listValue?.count == 2 && houses[1].any.listValue?.count == 2)
        #expect(houses.where { $0.code == "c1" }.count == 1)
        #expect(houses.where { $0.code == "c2" }.isEmpty)
    }

    @Test("an integer that the property can't hold is refused, however it is read")
    func widths() throws {
        let realm = try workspace.realm("a.realm", [Rack.self, Rod.self, LongRod.self])
        let schema = DocumentSchema(
            title: "Rack",
            properties: [DocumentSchema.Property("_id", .scalar(.int))], required: ["_id"])
        let texts = [
            #"{"_id": 3000000000}"#, #"{"_id": 1, "rod": {"size": -3000000000}}"#,
            #"{"_id": 2, "rod": {"_t": "LongRod", "size": 1, "extra": 40000, "wide": 5}}"#,
            #"{"_id": 2, "rod": {"_t": "LongRod", "size": 1, "extra": -32768, "wide": 1}}"#,
        ]
        for isDirect in [true, false] {
            let importer = try DocumentImporter(realm, type: "Rack", schema: schema)
            var refusals: [String] = []
            try realm.write {
                for text in texts {
                    do {
                        if isDirect {
                            var text = text
                            try text.withUTF8 {
                                try importer.insert(extendedJSON: UnsafeRawBufferPointer($0))
                            }
                        } else {
                            try importer.insert(Document(extendedJSON: text))
                        }
                    } catch let refusal as DocumentRefusal {
                        refusals.append("\(refusal)")
                    }
                }
            }
            #expect(
                refusals == [
                    "_id: 3000000000 is not from -2147483648 to 2147483647",
                    "rod.size: -3000000000 is not from -2147483648 to 2147483647",
                    "rod.extra: 40000 is not from -32768 to 32767",
                ])
            #expect(realm.objects(Rack.self).map(\._id) == [2])
        }
    }

    @Test("an object that a format has no document for is refused with its place, and no other")
    func notEncodable() throws {
        let realm = try workspace.realm("a.realm", [Crate.self, Sticker.self])
        // So many that levels which were left open would be too many for the last.
        try realm.write {
            for id in 1...150 {
                let crate = Crate(value: ["_id": id])
                if id > 1, id < 150 { crate.map["a\u{0}b"] = .int(1) }
                realm.add(crate)
            }
        }
        let exporter = try DocumentExporter(realm, type: "Crate")
        var refused: [Int] = []
        var bytes: [UInt8] = []
        let count = try exporter.export(
            as: .bson,
            refused: { position, refusal in
                refused.append(position)
                #expect("\(refusal)".contains("zero byte"), "\(refusal)")
            }, to: { piece, _ in bytes += piece })
        #expect(count == 2 && refused == Array(2...149))
        var stream = DocumentStream(.bson, bytes)
        #expect(try stream.next()?["_id"] == .int64(1))
        #expect(try stream.next()?["_id"] == .int64(150))
        #expect(try stream.next() == nil)
    }

    func exported(_ realm: Realm, _ type: String) throws -> [String] {
        var bytes: [UInt8] = []
        try DocumentExporter(realm, type: type).export(as: .extendedJSON(.relaxed)) { piece, _ in
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    // MARK: Refusals

    @Test("what only storing would find is refused with its place, and the import goes on")
    func refusals() throws {
        let realm = try workspace.realm("a.realm", [Crate.self, Sticker.self])
        let long = String(repeating: "x", count: 1000)
        let refusals = try insert(
            realm, "Crate", ["_id": 1, "values": .array([1, .array([2])])],
            ["_id": 2, "values": .array([["a": 1]])], ["_id": 3, "sticker": .string(long)],
            ["_id": 4, "data": .array([.binary(Data(count: 33 << 20))])],
            Document([("_id", 5), ("data", .null), ("data", .array([]))]),
            Document([("_id", 6), ("map", .document(Document([("a", .array([])), ("a", 1)])))]),
            Document([
                ("_id", 7), ("any", .document(Document([("a", .array([])), ("a", 1)]))),
            ]),
            ["_id": 8, "values": .array([1, "a"])])
        try #require(refusals.count == 7, "\(refusals)")
        #expect(
            Array(refusals[0...2]) == [
                "values.1: a set cannot hold a list or dictionary",
                "values.0: a set cannot hold a list or dictionary",
                "sticker: the key is too long for a link to wait by: store the Sticker first",
            ])
        #expect(refusals[3].contains("or an element of it, takes 34603008 bytes"))
        #expect(
            Array(refusals[4...]) == [
                "data: appears twice", "map.a: appears twice",
                "any.a: appears twice",
            ])
        #expect(realm.objects(Crate.self).map(\._id) == [8])
    }

    @Test("a collection may be larger than a row")
    func largeCollections() throws {
        let realm = try workspace.realm("a.realm", [Crate.self, Sticker.self])
        let piece = AnyBSON.binary(Data(count: 9 << 20))
        #expect(
            try insert(realm, "Crate", ["_id": 1, "data": [piece, piece, piece, piece]]) == [])
        let data = realm.objects(Crate.self)[0].data
        #expect(data.count == 4 && data.allSatisfy { $0.count == 9 << 20 })
    }

    @Test("only the type must have documents, not all types of the realm")
    func otherTypes() throws {
        let realm = try workspace.realm(
            "a.realm", [Den.self, Feral.self, Unkeyed.self, Loose.self])
        try realm.write { realm.add(Den(value: ["_id": 1])) }
        #expect(try DocumentExporter(realm, type: "Den").objectCount == 1)
        #expect(throws: MappingError.keylessTargets(["Loose.link"])) {
            try DocumentExporter(realm, type: "Loose")
        }
        #expect(try ObjectMapping.documentSchema(of: "Feral", in: realm.schema)?.title == "Feral")
        #expect(try ObjectMapping.documentSchema(of: "Nothing", in: realm.schema) == nil)
    }

    @Test("a stream says whether an error cut off the rest")
    func cutOff() throws {
        var lines = DocumentStream(.extendedJSON, Array("{\"a\": }\n{\"a\": 1}".utf8))
        #expect(throws: DocumentError.self) { try lines.next() }
        #expect(try !lines.isCutOff && lines.next() == ["a": 1])
        var array = DocumentStream(.extendedJSON, Array("[{\"a\": }, {\"a\": 1}]".utf8))
        #expect(throws: DocumentError.self) { try array.next() }
        #expect(try array.isCutOff && array.next() == nil)
        var bson = DocumentStream(.bson, [1, 0, 0, 0, 9, 9, 9, 9, 9])
        #expect(throws: DocumentError.self) { try bson.next() }
        #expect(try bson.isCutOff && bson.next() == nil)
    }
}

final class Citizen: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var last: String
    @Persisted var age: Int
    @Persisted var email: String?
    @Persisted(indexed: .fullText) var notes: String?
    override class func indexes() -> [ObjectIndex] {
        [ObjectIndex("last", "age"), ObjectIndex("email", isUnique: true)]
    }
}

final class Passport: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(required: true) var owner: Citizen?
}

final class Sighting: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var at: Date
    @Persisted var by: Citizen?
    @Persisted var data: Data
    @Persisted var marks: List<String>
    @Persisted var any: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class House: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var street: String
    @Persisted(indexed: true) var code: String?
    @Persisted var floors: Int
    @Persisted var rooms: List<String>
    @Persisted var any: AnyRealmValue
}

final class SmallHouse: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var street: String
    override class func objectTypeName() -> String { "House" }
}

final class Crate: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var values: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var any: AnyRealmValue
    @Persisted var data: List<Data>
    @Persisted var sticker: Sticker?
}

final class Sticker: HiddenObject {
    @Persisted(primaryKey: true) var _id: String
}

final class Unkeyed: HiddenObject {
    @Persisted var name: String
}

final class Loose: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var link: Unkeyed?
}
