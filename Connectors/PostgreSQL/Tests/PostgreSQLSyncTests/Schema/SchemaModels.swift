import Foundation
import Travertine

/// A type in the versions that it has one after another.
enum FirstSchema {
    class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var size: Int
        @Persisted var spot: FirstSchema.Spot?
        @Persisted var spots: List<FirstSchema.Spot>
        @Persisted var tags: List<Int>
        override class func objectTypeName() -> String { "Thing" }
    }

    class Spot: EmbeddedObject {
        @Persisted var street: String
        override class func objectTypeName() -> String { "Spot" }
    }

    static let types: [ObjectBase.Type] = [Thing.self, Spot.self]

    /// Adds things with numbers of a range.
    static func add(_ ids: Range<Int>, to realm: Realm) throws {
        try realm.write {
            for id in ids {
                var value: [String: Any] = [
                    "id": id, "name": "n\(id)", "size": id, "tags": [id, 0],
                ]
                if id.isMultiple(of: 2) { value["spot"] = ["street": "s\(id)"] }
                realm.dynamicCreate("Thing", value: value)
            }
        }
    }
}

/// New properties, one of each kind, and a new type.
enum GrownSchema {
    class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var size: Int
        @Persisted var spot: FirstSchema.Spot?
        @Persisted var spots: List<FirstSchema.Spot>
        @Persisted var tags: List<Int>
        @Persisted var colour = "it's \\ red"
        @Persisted var weight = 1.5
        @Persisted var born = Date(timeIntervalSinceReferenceDate: 0)
        @Persisted var code = Data([0, 0x5c])
        @Persisted var note: String?
        @Persisted var kinds: List<String>
        @Persisted var named: Map<String, Int>
        @Persisted var other: Other?
        override class func objectTypeName() -> String { "Thing" }
    }

    class Other: EmbeddedObject {
        @Persisted var flag = true
        @Persisted var words: List<String>
        override class func objectTypeName() -> String { "Other" }
    }

    class Added: Object {
        @Persisted(primaryKey: true) var code: String
        override class func objectTypeName() -> String { "Added" }
    }

    static let types: [ObjectBase.Type] = [
        Thing.self, FirstSchema.Spot.self, Other.self, Added.self,
    ]
}

/// Properties of the grown schema are gone again.
enum ShrunkSchema {
    class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        override class func objectTypeName() -> String { "Thing" }
    }

    static let types: [ObjectBase.Type] = [Thing.self]
}

/// Other names for the properties of the first schema.
enum RenamedSchema {
    class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String
        @Persisted var size: Int
        @Persisted var place: FirstSchema.Spot?
        @Persisted var spots: List<FirstSchema.Spot>
        @Persisted var labels: List<Int>
        override class func objectTypeName() -> String { "Thing" }
    }

    /// Another property has the old name of one.
    class Later: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String
        @Persisted var size: Int
        @Persisted var place: FirstSchema.Spot?
        @Persisted var spots: List<FirstSchema.Spot>
        @Persisted var labels: List<Int>
        @Persisted var tags: List<String>
        override class func objectTypeName() -> String { "Thing" }
    }

    static let types: [ObjectBase.Type] = [Thing.self, FirstSchema.Spot.self]
    static let laterTypes: [ObjectBase.Type] = [Later.self, FirstSchema.Spot.self]

    static func rename(_ migration: Migration) {
        for (old, new) in [("name", "title"), ("spot", "place"), ("tags", "labels")] {
            migration.renameProperty(onType: "Thing", from: old, to: new)
        }
    }
}

/// Properties of other types under their old names.
enum RetypedSchema {
    class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: Int
        @Persisted var size: String
        @Persisted var spot: FirstSchema.Spot?
        @Persisted var spots: List<FirstSchema.Spot>
        @Persisted var tags: Int
        override class func objectTypeName() -> String { "Thing" }
    }

    static let types: [ObjectBase.Type] = [Thing.self, FirstSchema.Spot.self]

    static func convert(_ migration: Migration) {
        migration.enumerateObjects(ofType: "Thing") { _, new in
            new!["name"] = 1
            new!["size"] = "s"
            new!["tags"] = 4
        }
    }
}

/// The embedded type has a new property.
enum EmbeddedGrownSchema {
    class Thing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var size: Int
        @Persisted var spot: EmbeddedGrownSchema.Spot?
        @Persisted var spots: List<EmbeddedGrownSchema.Spot>
        @Persisted var tags: List<Int>
        override class func objectTypeName() -> String { "Thing" }
    }

    class Spot: EmbeddedObject {
        @Persisted var street: String
        @Persisted var floor = 7
        @Persisted var doors: List<Int>
        override class func objectTypeName() -> String { "Spot" }
    }

    static let types: [ObjectBase.Type] = [Thing.self, Spot.self]
}
