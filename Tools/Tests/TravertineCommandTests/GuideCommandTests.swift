import Foundation
import RealmSwift
import TestSupport
import Testing

/// The schemas of the guides to modelling data, by way of the command: `GuideTests` of the
/// documents says what they are.
@Suite("the schemas of the guides")
struct GuideCommandTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    struct Listing: Sendable, CustomTestStringConvertible {
        let name: String
        let classes: [ObjectBase.Type]
        /// What the command reports of the classes; `(compatible)` is after each.
        let findings: [String]
        var isNarrow = false

        var testDescription: String { name }
    }

    private static let listings = [
        Listing(
            name: "Plain", classes: [Plain.Dog.self, Plain.Person.self],
            findings: ["Dog.name", "Dog.age", "Person.name"]),
        Listing(
            name: "ToOne", classes: [ToOne.Dog.self, ToOne.Person.self],
            findings: ["Dog.name", "Dog.age", "Person.name"]),
        Listing(
            name: "ToMany", classes: [ToMany.Dog.self, ToMany.Person.self],
            findings: ["Dog.name", "Dog.age", "Person.name"]),
        Listing(
            name: "Inverse", classes: [Inverse.Dog.self, Inverse.Person.self],
            findings: ["Dog.name", "Dog.age", "Person.name"]),
        Listing(
            name: "Mapping", classes: [Mapping.Dog.self], findings: ["Dog.age"], isNarrow: true),
        Listing(
            name: "Embedded", classes: [Embedded.Contact.self, Embedded.Address.self],
            findings: []),
    ]

    private static let tests = ProjectFiles.url("Tests/TravertineDocumentsTests")

    private func source(_ listing: Listing) -> URL {
        Self.tests.appendingPathComponent("Data/Guide/\(listing.name)")
    }

    private func schemas(_ listing: Listing) throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: source(listing).path)
        return try files.filter { $0.hasSuffix("schema.json") }.map {
            try String(contentsOf: source(listing).appendingPathComponent($0), encoding: .utf8)
        }
    }

    @Test("--check finds every class of the guides compatible", arguments: listings)
    func check(listing: Listing) throws {
        do {
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.directory.appendingPathComponent("a.realm"),
                    objectTypes: listing.classes))
        }
        let run = try workspace.run("schema", "a.realm", "--check", source(listing).path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.allSatisfy { $0.hasSuffix("(compatible)") })
        let places = run.lines.map { String($0.prefix { $0 != ":" }) }
        #expect(places == listing.findings, "\(run.output)")
        let missing = run.errors.contains("0 of them not compatible")
        #expect(missing, "\(run.errors)")
    }

    @Test("generated classes are those that are compiled, and their types regenerate the schemas")
    func generate() throws {
        for listing in Self.listings {
            let models = try workspace.run(
                "generate-models", source(listing).path, "--target-dir", listing.name)
            #expect(models.status == 0, "\(models.errors)")
            let compiled = try String(
                contentsOf: Self.tests.appendingPathComponent(
                    "Models/GeneratedGuide/Generated\(listing.name).swift"), encoding: .utf8)
            for name in models.lines {
                let file = workspace.directory.appendingPathComponent("\(listing.name)/\(name)")
                let lines = try String(contentsOf: file, encoding: .utf8)
                    .components(separatedBy: "\n").dropFirst(3)
                let indented = lines.map { $0.isEmpty ? "" : "    " + $0 }
                #expect(compiled.contains(indented.joined(separator: "\n")), "\(name)")
            }
            try workspace.write("", to: "none.jsonl")
            let store = listing.name + ".realm"
            let made = try workspace.run(
                "import", store, "none.jsonl", "--documents", "--source", source(listing).path,
                "--type", listing.name == "Embedded" ? "Contact" : "Dog")
            #expect(made.status == 0, "\(made.errors)")
            let printed = try workspace.run("schema", store, "--json-schema")
            var expected = try schemas(listing)
            // What is stored has no width of integers.
            if listing.isNarrow {
                expected = expected.map {
                    $0.replacingOccurrences(of: "\"int\"", with: "\"long\"")
                }
            }
            for text in expected { #expect(printed.output.contains(text), "\(listing.name)") }
            #expect(printed.output.count == expected.map(\.count).reduce(0, +))
        }
    }
}

private class HiddenObject: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class HiddenEmbeddedObject: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum Plain {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
    }
}

private enum ToOne {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-one relationship
        @Persisted var dog: Dog?
    }
}

private enum ToMany {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
    }
}

private enum Inverse {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
        // The backlink to the `Person` who has this `Dog`.
        @Persisted(originProperty: "dogs") var person: LinkingObjects<Person>
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
    }
}

private enum Mapping {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var age: Int?
        @Persisted var breed: String?
        @Persisted var name: String = ""
        @Persisted var details: AnyRealmValue
    }
}

private enum Embedded {
    typealias Object = HiddenObject
    typealias EmbeddedObject = HiddenEmbeddedObject

    class Address: EmbeddedObject {
        @Persisted var street: String?
        @Persisted var postalCode: String?
    }

    class Contact: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var address: Address?
    }
}
