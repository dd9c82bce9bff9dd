import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments

/// Classes with derived ones: links to them, and embedded objects of them.
extension ImportIntegrityTests {
    private static let creatures: [ObjectBase.Type] = [
        Feral.self, Falcon.self, Den.self,
    ]

    @Test("a link to a class with derived ones is a key, or a DBRef where it is of one of those")
    func derivedClasses() throws {
        let text =
            #"{"_id":1,"star":{"$ref":"Falcon","$id":1},"beasts":[2,{"$ref":"Falcon","$id":1}],"#
            + #""byName":{"a":2,"b":null}}"#
        do {
            let realm = try workspace.realm("a.realm", Self.creatures)
            try insert(realm, "Den", ["_id": 2, "star": 9], ["_id": 3, "star": .null])
            try insert(realm, "Feral", ["_id": 2])
            try insert(realm, "Falcon", ["_id": 1])
            #expect(try insert(realm, "Den", Document(extendedJSON: text)) == [])
            let dens = realm.objects(Den.self)
            #expect(dens[0].star is Falcon && dens[0].beasts.map(\._id) == [2, 1])
            #expect(dens[0].byName["a"]??._id == 2 && dens[0].byName["b"] == .some(nil))
            #expect(dens[1].star == nil && dens[2].star == nil)
            let lines = try exported(realm, "Den")
            #expect(lines.first == text)
            #expect(lines[1].contains(#""star":9"#), "\(lines)")
            #expect(realm.object(ofType: Falcon.self, forPrimaryKey: 1)?.dens.count == 1)
            let refusals = try insert(
                realm, "Den", ["_id": 4, "star": "x"], ["_id": 5, "beasts": .array([.null])],
                ["_id": 6, "star": ["$ref": "Den", "$id": 1]])
            #expect(
                refusals == [
                    "star: long expected, the key of a Feral; string found",
                    "beasts.0: a link expected, null found",
                    "star: a link to a Feral cannot lead to a Den; a derived class must be one of "
                        + "the realm's",
                ])
            try insert(realm, "Feral", ["_id": 9])
            #expect(realm.objects(Den.self)[1].star?._id == 9)
        }
        #expect(try findings() == [])
    }

    @Test("an embedded object of a derived class names it by _t, one of the property's does not")
    func embeddedDerivedClasses() throws {
        let text =
            #"{"_id":1,"part":{"_t":"Tail","size":1,"tip":"t"},"parts":[{"size":2},"#
            + #"{"_t":"Tail","size":3,"tip":"u"}],"named":{"a":{"_t":"Tail","size":4,"tip":"v"},"#
            + #""b":null}}"#
        do {
            let realm = try workspace.realm("a.realm", [Cave.self, Part.self, Tail.self])
            #expect(try insert(realm, "Cave", Document(extendedJSON: text)) == [])
            let cave = try #require(realm.objects(Cave.self).first)
            #expect((cave.part as? Tail)?.tip == "t" && cave.part?.size == 1)
            #expect(cave.part?.parent?.isSameObject(as: cave) == true)
            #expect(cave.parts.map { $0 is Tail } == [false, true])
            #expect((cave.named["a"] as? Tail)?.tip == "v" && cave.named["b"] == .some(nil))
            #expect(try exported(realm, "Cave") == [text])
            // What is replaced goes with all that it embeds.
            let named = #"{"_id":1,"part":{"_t":"Part","size":5},"parts":[],"named":{}}"#
            #expect(try insert(realm, "Cave", Document(extendedJSON: named)) == [])
            #expect(realm.objects(Part.self).count == 1 && realm.objects(Tail.self).isEmpty)
            #expect(
                try insert(
                    realm, "Cave", ["_id": 2, "part": ["_t": "Cave", "size": 1]],
                    ["_id": 3, "part": ["_t": 1, "size": 1]], ["_id": 4, "parts": [.null]],
                    ["_id": 5, "part": ["_t": "Tail", "size": 1]])
                    == [
                        "part._t: \"Cave\" is none of Part, Tail",
                        "part._t: int is none of Part, Tail",
                        "parts.0: object expected, null found",
                        "part.tip: required, and missing",
                    ])
        }
        #expect(try findings() == [])
    }

    @Test("without the classes, a document may name an embedded type that has all properties")
    func embeddedDerivedClassesWithoutClasses() throws {
        _ = try workspace.realm("a.realm", [Cave.self, Part.self, Tail.self, Sticker.self])
        let realm = try workspace.realm("a.realm", [])
        let text = #"{"_id":1,"part":{"_t":"Tail","size":1,"tip":"t"},"parts":[],"named":{}}"#
        #expect(
            try insert(
                realm, "Cave", Document(extendedJSON: text),
                ["_id": 2, "part": ["_t": "Sticker", "_id": "x"]])
                == ["part._t: \"Sticker\" is none of Part, Tail"])
        #expect(try exported(realm, "Cave") == [text])
    }

    @Test("a class that has a property _t cannot be named by it")
    func classField() throws {
        let realm = try workspace.realm("a.realm", [Jar.self, Lid.self, RoundLid.self])
        let error = #expect(throws: ImportError.embeddedBaseClasses(["Jar.lid"])) {
            try DocumentImporter(realm, type: "Jar")
        }
        #expect("\(String(describing: error))".contains("Jar.lid"))
        try realm.write {
            let jar = Jar(value: ["_id": 1])
            jar.lid = RoundLid(value: ["_t": "x"])
            realm.add(jar)
        }
        let refusal = #expect(throws: DocumentRefusal.self) { try exported(realm, "Jar") }
        #expect("\(String(describing: refusal))".contains("has a property \"_t\""))
    }

    @Test("a closed schema lets an embedded object say of which derived class it is")
    func closedSchemas() throws {
        let realm = try workspace.realm("a.realm", [Cave.self, Part.self, Tail.self])
        func closed(_ schema: DocumentSchema) -> DocumentSchema {
            var schema = schema
            schema.constraints.append(
                DocumentSchema.Constraint("additionalProperties", .bool(false)))
            return schema
        }
        let part = closed(
            DocumentSchema(
                title: "Part", properties: [DocumentSchema.Property("size", .scalar(.long))]))
        let value = ValueSchema(.object(part))
        let schema = closed(
            DocumentSchema(
                title: "Cave",
                properties: [
                    DocumentSchema.Property("_id", .scalar(.long)),
                    DocumentSchema.Property("part", value),
                    DocumentSchema.Property(
                        "parts", ValueSchema(.array(of: value, isUnique: false))),
                    DocumentSchema.Property("named", ValueSchema(.dictionary(of: value))),
                ]))
        let importer = try DocumentImporter(realm, type: "Cave", schema: schema)
        let named: Document = [
            "_id": 1, "part": ["_t": "Part", "size": 1], "parts": [["_t": "Part", "size": 2]],
        ]
        try realm.write {
            try importer.insert(named)
            let refusal = #expect(throws: DocumentRefusal.self) {
                try importer.insert(["_id": 2, "_t": "Cave", "part": ["_u": 1, "size": 1]])
            }
            #expect(
                refusal?.problems.map(\.description) == [
                    "_t: no property of this name", "part._u: no property of this name",
                ])
        }
        #expect(realm.objects(Cave.self).map { $0.part?.size } == [1])
        try realm.write {
            realm.add(Cave(value: ["_id": 3, "part": Tail(value: ["size": 4, "tip": "t"])]))
        }
        var refusals: [String] = []
        try DocumentExporter(realm, type: "Cave", schema: schema).export(
            as: .bson, refused: { refusals.append("\($0) \($1)") }, to: { _, _ in })
        #expect(refusals == ["2 part.tip: no property of this name"])
    }

    @Test("integers of derived embedded classes have the widths of their declarations")
    func derivedWidths() throws {
        let realm = try workspace.realm("a.realm", [Rack.self, Rod.self, LongRod.self])
        try realm.write {
            let rack = Rack(value: ["_id": 1])
            rack.rod = LongRod(value: ["size": 3, "extra": 4, "wide": 5])
            realm.add(rack)
            let plain = Rack(value: ["_id": 2])
            plain.rod = Rod(value: ["size": 6])
            realm.add(plain)
        }
        let exporter = try DocumentExporter(realm, type: "Rack")
        #expect(
            try exporter.document(forPrimaryKey: 1)?["rod"]
                == ["_t": "LongRod", "size": .int32(3), "extra": .int32(4), "wide": .int64(5)])
        #expect(try exporter.document(forPrimaryKey: 2)?["rod"] == ["size": .int32(6)])
    }
}

class Feral: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(originProperty: "star") var dens: LinkingObjects<Den>
}

final class Falcon: Feral {
    @Persisted var speed: Int?
}

final class Den: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var star: Feral?
    @Persisted var beasts: List<Feral>
    @Persisted var byName: Map<String, Feral?>
}

class Part: HiddenEmbeddedObject {
    @Persisted var size: Int
}

final class Tail: Part {
    @Persisted var tip: String
}

final class Cave: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var part: Part?
    @Persisted var parts: List<Part>
    @Persisted var named: Map<String, Part?>
}

class Rod: HiddenEmbeddedObject {
    @Persisted var size: Int32
}

final class LongRod: Rod {
    @Persisted var extra: Int16
    @Persisted var wide: Int
}

final class Rack: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var rod: Rod?
}

class Lid: HiddenEmbeddedObject {
    @Persisted var _t: String
}

final class RoundLid: Lid {}

final class Jar: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var lid: Lid?
}
