import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Messages were tried as a user meets them: they printed whole collections, addresses and the
/// names of error codes, and did not say which property was meant.
@Suite("What error messages say")
struct ErrorTextTests {
    private func message(_ types: [ObjectBase.Type]) -> String {
        let directory = TemporaryDirectory()
        return #expect(throws: Realm.Error.self) { try directory.open(types) }?.message ?? ""
    }

    @Test("classes that break rules are not said to differ from a schema that is not there")
    func newRealm() {
        let text = message([TextTwoKeys.self, TextListed.self])
        #expect(text.hasPrefix("The object types can't be used:\n- "), "\(text)")
        #expect(!text.contains("stored schema"), "\(text)")
    }

    @Test("broken rules are reported alone where a schema is stored, too, and differences as such")
    func storedRealm() throws {
        let directory = TemporaryDirectory()
        do { _ = try directory.open([TextPlain.self]) }
        let rules = #expect(throws: Realm.Error.self) {
            try directory.open([TextPlain.self, TextTwoKeys.self])
        }
        #expect(rules?.message.hasPrefix("The object types can't be used:") == true)
        let other = #expect(throws: Realm.Error.self) { try directory.open([TextPlainV2.self]) }
        #expect(other?.message.hasPrefix("The classes don't fit the stored schema:") == true)
    }

    @Test("two primary keys are named, and a list is called a list")
    func keys() {
        let text = message([TextTwoKeys.self, TextListed.self])
        for sentence in [
            "Type 'TextTwoKeys' has more than one primary key: 'id', 'code'. Leave one of them.",
            "Property 'TextListed.numbers' of type 'list of int' cannot be indexed.",
            "Property 'TextListed.words' cannot be the primary key: it is 'list of string', not a",
        ] {
            #expect(text.contains(sentence), "\(sentence) in \(text)")
        }
    }

    @Test("names that are too long are answered with what gives a shorter one")
    func longNames() {
        let text = message([
            TextNamedWithSoManyWordsThatItsNameIsLongerThanTypesMayHaveIt.self
        ])
        #expect(text.contains("shorter stored name with `override class func objectTypeName()`"))
        #expect(text.contains("shorter stored name with `override class func propertiesMapping()`"))
    }

    @Test("an asymmetric type that became another is answered with what can be done")
    func asymmetric() throws {
        let directory = TemporaryDirectory()
        do { _ = try directory.open([TextReading.self]) }
        let error = #expect(throws: Realm.Error.self) { try directory.open([TextReadingV2.self]) }
        let text = error?.message ?? ""
        #expect(text.contains("from asymmetric to top-level"), "\(text)")
        #expect(text.contains("`realm.outbox.read(after:limit:)`"), "\(text)")
        #expect(!text.contains("copy its objects"), "\(text)")
    }

    @Test("an error prints its sentence, with the place and without the name of its code")
    func codes() {
        let error = StoreError(.notFound, "There is no such store.", file: "a", offset: 3)
        #expect(error.description == "There is no such store. (a, offset 3)")
        let realmError = Realm.Error(error, fileURL: nil)
        #expect(realmError.description == "There is no such store. (a, offset 3)")
        #expect("\(Realm.Error(.invalidInput, "It is too long."))" == "It is too long.")
    }

    @Test("values of collections are named by their type alone")
    func values() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([TextPlain.self])
        try realm.write { for id in 0..<3 { realm.create(TextPlain.self, value: ["id": id]) } }
        let all = realm.objects(TextPlain.self)
        #expect(ValueText.withType(all) == "a value of type Results<TextPlain>")
        #expect(ValueText.withType("x") == "x of type String")
        #expect(ValueText.withType(nil) == "nil")
        #expect(ValueText.withType(String(repeating: "x", count: 100)).count < 90)
        #expect(ValueText.quoted([1, 2]) == "of type 'Array<Int>'")
        #expect(ValueText.quoted(5) == "'5'")
    }

    @Test("names that are like an unknown one are listed, or else all")
    func nearNames() {
        let names = ["name", "age", "address", "names"]
        #expect(NearNames.advice(on: "nmae", among: names) == " Did you mean 'name' or 'names'?")
        #expect(NearNames.advice(on: "Adress", among: names) == " Did you mean 'address'?")
        #expect(
            NearNames.advice(on: "weight", among: names)
                == " Its properties are name, age, address, names.")
        #expect(NearNames.advice(on: "x", among: []).isEmpty)
        #expect(
            NearNames.advice(on: "zzzzzz", among: (0..<50).map { "p\($0)" }).hasSuffix("p19, …."))
        #expect(NearNames.near(String(repeating: "n", count: 10_000), among: names).isEmpty)
    }

    @Test("a key path prints the names of computed and persisted properties")
    func keyPaths() {
        #expect(KeyPathText.text(of: \TextPlain.isOld) == "TextPlain.isOld")
        #expect(KeyPathText.text(of: \TextPlain.id) == "TextPlain.id")
        #expect(KeyPathText.text(of: \TextPlain.next?.isOld) == "TextPlain.next?.isOld")
        #expect(
            KeyPathText.propertyName("key path getter for Pets.Dog.isOld : Swift.Bool : Pets.Dog")
                == "isOld")
        #expect(KeyPathText.propertyName("something else") == nil)
    }
}

class TextTwoKeys: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(primaryKey: true) var code: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TextListed: Object {
    @Persisted var numbers: List<Int>
    @Persisted var words: List<String>

    override class func primaryKey() -> String? { "words" }
    override class func indexedProperties() -> [String] { ["numbers"] }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TextPlain: Object {
    @Persisted var id: Int
    @Persisted var next: TextPlain?

    var isOld: Bool { id > 10 }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TextPlainV2: Object {
    @Persisted var id: String

    override class func objectTypeName() -> String { "TextPlain" }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TextNamedWithSoManyWordsThatItsNameIsLongerThanTypesMayHaveIt: Object {
    @Persisted var nameWithSoManyWordsThatItIsLongerThanNamesOfPropertiesMayBeAnywhere: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TextReading: AsymmetricObject {
    @Persisted var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TextReadingV2: Object {
    @Persisted var id: Int

    override class func objectTypeName() -> String { "TextReading" }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
