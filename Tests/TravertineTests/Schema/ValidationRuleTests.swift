import Foundation
import RealmSwift
import TestSupport
import Testing

/// Each rule of the schema by itself, with the sentence that its breaking gets.
@Suite("Rules of the schema")
struct ValidationRuleTests {
    private func message(_ types: [ObjectBase.Type]) throws -> String {
        let error = #expect(throws: Realm.Error.self) { try TemporaryDirectory().open(types) }
        #expect(error?.code == .schemaMismatch)
        return error?.message ?? ""
    }

    private func message(_ schemas: [ObjectSchema]) throws -> String {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [])
        configuration.objectSchemas = schemas
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .schemaMismatch)
        return error?.message ?? ""
    }

    @Test("of classes, each with a sentence, all in one error")
    func classes() throws {
        let text = try message([
            RuleBoolKey.self, RuleDateKey.self, RuleBothIndexes.self, RuleSetOfEmbedded.self,
            RuleRing.self, RuleRingPart.self, RuleOrigins.self, RuleTag.self, RuleLinksQueue.self,
            RuleQueue.self, RulePartLinksQueue.self, RuleHoldsPart.self, RuleInverseName.self,
            RuleLeaf.self, RuleBranch.self,
        ])
        for sentence in [
            "Property 'RuleDateKey.id' cannot be the primary key: it is 'date'",
            "Property 'RuleBoolKey.id' cannot be the primary key: it is 'bool'",
            "Property 'RuleBothIndexes.text' can't be both indexed and full text.",
            "Property 'RuleSetOfEmbedded.parts' is a set of embedded objects 'RuleRingPart'",
            "'RuleRing' holds itself by 'RuleRingPart.back'",
            "'RuleBranch' holds itself by 'RuleBranch.leaf'",
            "Property 'RuleTag.nothing' declared as origin of linking objects property "
                + "'RuleOrigins.missing' does not exist.",
            "Property 'RuleTag.name' declared as origin of linking objects property "
                + "'RuleOrigins.scalar' does not link to type 'RuleOrigins'.",
            "Property 'RuleTag.other' declared as origin of linking objects property "
                + "'RuleOrigins.elsewhere' does not link to type 'RuleOrigins'.",
            "Property 'RuleLinksQueue.queue' links to the asymmetric object type 'RuleQueue'",
            "Property 'RulePartLinksQueue.queue' links to the asymmetric object type 'RuleQueue'",
            "Linking objects property 'RuleInverseName.back' has the stored name of property "
                + "'sources'",
        ] {
            #expect(text.contains(sentence), "\(sentence) in \(text)")
        }
    }

    @Test("a link, or linking objects, of a class that is not listed is named")
    func unlisted() throws {
        #expect(
            try message([RuleHoldsTag.self]).contains(
                "Property 'RuleHoldsTag.tag' of type 'object' has unknown object type 'RuleTag'"))
        #expect(
            try message([RuleOnlyInverse.self]).contains(
                "Property 'RuleOnlyInverse.holders' of type 'linking objects' has unknown object "
                    + "type 'RuleHoldsOnly'"))
    }

    @Test("of types without a class, the same sentences")
    func schemas() throws {
        let part = ObjectSchema(
            "Part", kind: .embedded,
            properties: [
                Property("id", .int, isPrimaryKey: true),
                Property("part", .object, objectType: "Part"),
            ])
        let queue = ObjectSchema(
            "Queue", kind: .asymmetric, properties: [Property("id", .int, isPrimaryKey: true)])
        let whole = ObjectSchema(
            "Whole",
            properties: [
                Property("id", .bool, isPrimaryKey: true),
                Property("key", .int, isPrimaryKey: true),
                Property("parts", .object, collection: .set, objectType: "Part"),
                Property("queue", .object, objectType: "Queue"),
                Property("mixed", .any, isOptional: true),
                Property("inverse", .linkingObjects),
                Property("text", .int, index: .fullText),
                Property("reals", .double, collection: .list, index: .general),
                Property("a", .int, storedName: "b"), Property("b", .int, storedName: "c"),
                Property("d", .int, storedName: "e"), Property("f", .int, storedName: "e"),
                Property(String(repeating: "n", count: 64), .int),
            ])
        let text = try message([
            part, queue, whole, ObjectSchema("Whole", properties: [Property("x", .int)]),
            ObjectSchema(String(repeating: "t", count: 58), properties: [Property("x", .int)]),
            ObjectSchema("None", properties: []),
        ])
        for sentence in [
            "Embedded object type 'Part' cannot have a primary key.",
            "'Part' holds itself by 'Part.part'",
            "Type 'Whole' has more than one primary key: ",
            "Property 'Whole.id' cannot be the primary key: it is 'bool'",
            "Property 'Whole.parts' is a set of embedded objects 'Part'",
            "Property 'Whole.queue' links to the asymmetric object type 'Queue'",
            "Property 'Whole.mixed' cannot be declared with type 'mixed'.",
            "Property 'Whole.inverse' cannot be declared with type 'linking objects'.",
            "Property 'Whole.text' has a full-text index and is no string.",
            "Property 'Whole.reals' of type 'list of double' cannot be indexed.",
            "Property 'Whole.c' has the public name 'b', which is the stored name of another",
            "Property 'Whole.e' is declared or mapped twice.",
            "has 64 bytes; 1 to 63 are allowed", "has 58 bytes; 1 to 57 are allowed",
            "No properties are defined for 'None'.",
            "Two types of `objectSchemas` have the same name 'Whole'.",
        ] {
            #expect(text.contains(sentence), "\(sentence) in \(text)")
        }
    }

    @Test("a class that is listed twice is one, and one beside a schema of its name is named")
    func twice() throws {
        let realm = try TemporaryDirectory().open([RuleTag.self, RuleOrigins2.self, RuleTag.self])
        #expect(realm.schema.objectSchema.map(\.className) == ["RuleOrigins2", "RuleTag"])
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [RuleTag.self, RuleOrigins2.self])
        configuration.objectSchemas = [ObjectSchema("RuleTag", properties: [Property("x", .int)])]
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(
            error?.message.contains(
                "TravertineTests.RuleTag and a type of `objectSchemas` have the same name 'RuleTag'"
            )
                == true, "\(error?.message ?? "")")
    }

    @Test("a stored type outside of the listed ones can't be reached, and nothing happens to it")
    func outside() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([RuleInside.self, RuleOutside.self])
            try realm.write {
                let inside = realm.create(RuleInside.self, value: ["name": "in"])
                realm.create(RuleInside.self, value: ["name": "free"])
                realm.create(RuleOutside.self, value: ["name": "out", "inside": inside])
                realm.create(RuleOutside.self, value: ["name": "alone"])
            }
        }
        do {
            let realm = try directory.open([RuleInside.self])
            #expect(realm.schema.objectSchema.map(\.className) == ["RuleInside"])
            #expect(realm.schema["RuleOutside"] == nil && !realm.hasType("RuleOutside"))
            #expect(realm.hasType("RuleInside") && realm.dynamicObjects("RuleInside").count == 2)
            try realm.write { realm.deleteAll() }
            #expect(realm.isEmpty)
        }
        let realm = try directory.open([RuleInside.self, RuleOutside.self])
        #expect(realm.objects(RuleOutside.self).map(\.name) == ["out", "alone"])
        #expect(realm.objects(RuleOutside.self)[0].inside == nil)
    }
}

class BrokenRuleModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BrokenRulePart: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RuleBoolKey: BrokenRuleModel {
    @Persisted var id: Bool
    override class func primaryKey() -> String? { "id" }
}

class RuleDateKey: BrokenRuleModel {
    @Persisted var id: Date
    override class func primaryKey() -> String? { "id" }
}

class RuleBothIndexes: BrokenRuleModel {
    @Persisted(indexed: .fullText) var text: String
    override class func indexedProperties() -> [String] { ["text"] }
}

class RuleInverseName: BrokenRuleModel {
    @Persisted var sources: RuleInverseName?
    @Persisted(originProperty: "sources") var back: LinkingObjects<RuleInverseName>
    override class func propertiesMapping() -> [String: String] { ["sources": "back"] }
}

class RuleLinksQueue: BrokenRuleModel {
    @Persisted var queue: RuleQueue?
}

class RulePartLinksQueue: BrokenRulePart {
    @Persisted var queue: RuleQueue?
}

class RuleHoldsPart: BrokenRuleModel {
    @Persisted var part: RulePartLinksQueue?
}

class RuleSetOfEmbedded: BrokenRuleModel {
    @Persisted var parts: MutableSet<RuleRingPart>
}

class RuleRing: BrokenRulePart {
    @Persisted var part: RuleRingPart?
}

class RuleRingPart: BrokenRulePart {
    @Persisted var back: RuleRing?
}

class RuleLeaf: BrokenRulePart {
    @Persisted var size: Int
}

/// Its leaf may be a branch.
class RuleBranch: RuleLeaf {
    @Persisted var leaf: RuleLeaf?
}

class RuleTag: BrokenRuleModel {
    @Persisted var name: String
    @Persisted var other: RuleTag?
    @Persisted var origin: RuleOrigins2?
}

class RuleOrigins2: BrokenRuleModel {
    @Persisted var id: Int
    @Persisted(originProperty: "origin") var tags: LinkingObjects<RuleTag>
}

class RuleOrigins: BrokenRuleModel {
    @Persisted var id: Int
    @Persisted(originProperty: "nothing") var missing: LinkingObjects<RuleTag>
    @Persisted(originProperty: "name") var scalar: LinkingObjects<RuleTag>
    @Persisted(originProperty: "other") var elsewhere: LinkingObjects<RuleTag>
}

class RuleQueue: AsymmetricObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
}

class RuleHoldsTag: BrokenRuleModel {
    @Persisted var tag: RuleTag?
}

class RuleOnlyInverse: BrokenRuleModel {
    @Persisted var id: Int
    @Persisted(originProperty: "only") var holders: LinkingObjects<RuleHoldsOnly>
}

class RuleHoldsOnly: BrokenRuleModel {
    @Persisted var only: RuleOnlyInverse?
}

class RuleInside: BrokenRuleModel {
    @Persisted var name: String
}

class RuleOutside: BrokenRuleModel {
    @Persisted var name: String
    @Persisted var inside: RuleInside?
}
