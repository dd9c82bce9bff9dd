import Foundation
import Testing

@testable import RealmSwift
@testable import Travertine

@Suite("NSPredicate")
struct NSPredicateTests {
    private func meaning(_ predicate: NSPredicate) throws -> String {
        let parsed = try predicate.formatPredicate().parsed()
        #expect(parsed.places.count == parsed.expression.operandCount)
        return parsed.expression.description
    }

    @Test("a format and its arguments are read")
    func formats() throws {
        let name = "Rex"
        #expect(try meaning(NSPredicate(format: "age > 3")) == "age > 3")
        #expect(
            try meaning(NSPredicate(format: "name == %@ AND age == %d", name, 3))
                == #"name == "Rex" AND age == 3"#)
        #expect(
            try meaning(NSPredicate(format: "name IN %@", ["a", "b"])) == #"name IN {"a", "b"}"#)
        #expect(try meaning(NSPredicate(format: "%K == nil", "name")) == "name == NULL")
    }

    #if !canImport(Darwin)
        @Test("nil and arrays of arguments are read")
        func arrays() throws {
            let missing: String? = nil
            #expect(try meaning(NSPredicate(format: "name == %@", missing)) == "name == NULL")
            #expect(
                try meaning(NSPredicate(format: "a == %@ OR b == %@", argumentArray: [1, 2]))
                    == "a == 1 OR b == 2")
            #expect(try meaning(NSPredicate(format: "a == 1", argumentArray: nil)) == "a == 1")
        }
    #endif

    @Test("compound predicates and values are read")
    func compounds() throws {
        let first = NSPredicate(format: "a == %@ OR b == 2", 1)
        let second = NSPredicate(format: "c == %@", "x")
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [first, second])
        #expect(try meaning(and) == #"(a == 1 OR b == 2) AND c == "x""#)
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [and, second])
        #expect(try meaning(or) == #"((a == 1 OR b == 2) AND c == "x") OR c == "x""#)
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: second)
        #expect(try meaning(not) == #"NOT c == "x""#)
        let single = NSCompoundPredicate(type: .and, subpredicates: [second])
        #expect(try meaning(single) == #"c == "x""#)
        let none = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        #expect(try meaning(none) == "TRUEPREDICATE")
        #expect(try meaning(NSPredicate(value: true)) == "TRUEPREDICATE")
        #expect(try meaning(NSPredicate(value: false)) == "FALSEPREDICATE")
        let mixed = NSCompoundPredicate(
            orPredicateWithSubpredicates: [NSPredicate(value: false), second])
        #expect(try meaning(mixed) == #"FALSEPREDICATE OR c == "x""#)
    }

    @Test("the places of a compound predicate are those in the joined text")
    func places() throws {
        let predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [
                NSPredicate(format: "a == 1"), NSPredicate(format: "b == %@", 2),
            ])
        let parsed = try predicate.formatPredicate().parsed()
        let bytes = Array(parsed.text.utf8)
        let places = parsed.places.map { String(decoding: bytes[$0], as: UTF8.self) }
        #expect(places.count == 4 && places.first == "a")
        #if !canImport(Darwin)
            #expect(parsed.text == "(a == 1) AND (b == %@)")
            #expect(places == ["a", "1", "b", "%@"])
        #endif
    }

    @Test("predicates with blocks, and texts that are wrong, are refused")
    func refusals() {
        let block = NSPredicate { object, _ in (object as? String) == "a" }
        #expect(throws: Realm.Error.self) { try meaning(block) }
        let compound = NSCompoundPredicate(
            andPredicateWithSubpredicates: [block, NSPredicate(value: true)])
        #expect(throws: Realm.Error.self) { try meaning(compound) }
        #if !canImport(Darwin)
            let wrong = NSPredicate(format: "age = = %@", 3)
            let error = #expect(throws: Realm.Error.self) { try meaning(wrong) }
            #expect(error?.message.hasSuffix("  age = = %@\n        ^") == true)
            let sorted = NSCompoundPredicate(
                andPredicateWithSubpredicates: [
                    NSPredicate(format: "a == 1 SORT(a ASC)"), NSPredicate(value: true),
                ])
            #expect(throws: Realm.Error.self) { try meaning(sorted) }
        #endif
    }
}
