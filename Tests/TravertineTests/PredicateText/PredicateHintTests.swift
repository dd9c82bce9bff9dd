import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Hints on predicate texts")
struct PredicateHintTests {
    private func message(_ text: String, _ arguments: [Any]) throws -> String {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Hinted.self])
        do {
            _ = try realm.objects(Hinted.self).filter(validating: text, arguments: arguments)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "say what to write",
        arguments: [
            ("name == Ada", "A text is written in quotes: \"Ada\"."),
            ("name == Ada Lovelace", "A text is written in quotes: \"Ada Lovelace\"."),
            ("mail == ada.example", "A text is written in quotes: \"ada.example\"."),
            ("name IN {Ada, Bob}", "A text is written in quotes: \"Ada\"."),
            ("born > 2020-01-31", "'2026-01-31'; without quotes it is 2026-01-31@12:00:00"),
            ("born > 2020", "'2026-01-31'; without quotes it is 2026-01-31@12:00:00"),
            ("born > '31.01.2020'", "one of ISO 8601: '2026-01-31T12:00:00Z' or '2026-01-31'"),
            ("age == {1, 2}", "write IN {1, 2} or IN %@"),
            ("ANY tags == {'a', 'b'}", "write IN {1, 2} or IN %@"),
            ("name LIKE %a%", "In LIKE, * is any number of characters and ? is one"),
            ("lower(name) == 'ada'", "To compare without case, write name ==[c] 'text'."),
            ("count(tags) > 2", "Of a collection, write tags.@count."),
            ("length(tags) > 2", "Of a collection, write tags.@count."),
            ("contains(name, 'a')", "Write it between the two: name CONTAINS 'text'."),
            ("startsWith(name, 'a')", "Write it between the two: name BEGINSWITH 'text'."),
            ("born > now()", "Pass the point in time as an argument for %@."),
            ("isOpen", "A property that is a bool is compared, too: isOpen == TRUE."),
            ("NOT isOpen AND age > 3", "isOpen == TRUE."),
            ("age > 3 AND (owner.isOpen)", "owner.isOpen == TRUE."),
            ("bogus(name) == 1", "There are cast, date, decimal, float, geobox"),
        ])
    func hints(_ text: String, _ hint: String) throws {
        let message = try message(text, [])
        #expect(message.contains(hint), "\(text): \(message)")
    }

    @Test("an argument beside a placeholder in quotes, and a list beside ==, say what to write")
    func arguments() throws {
        let quoted = try message("name CONTAINS '%@'", ["a"])
        #expect(quoted.contains("In quotes %@ is text: write it without"), "\(quoted)")
        let list = try message("age == %@", [[1, 2] as [Any]])
        #expect(list.contains("write IN {1, 2} or IN %@"), "\(list)")
    }

    @Test("a name of a number's side, and one with a near property, are no texts without quotes")
    func noQuotes() throws {
        #expect(try !message("age == agee", []).contains("in quotes"))
        #expect(try message("name == nam", []).contains("Did you mean 'name'?"))
    }
}

class Hinted: Object {
    @Persisted var name: String
    @Persisted var mail: String
    @Persisted var age: Int
    @Persisted var born: Date
    @Persisted var tags: List<String>
}
