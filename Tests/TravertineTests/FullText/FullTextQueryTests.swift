import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Full-text queries as texts")
struct FullTextQueryTests {
    @Test(
        "a query prints as a text that says the same",
        arguments: [
            ("data base", "data base"), ("  data\t base ", "data base"), ("", ""),
            ("\"data base\"", "\"data base\""), ("\"say \"\"hi\"\"\"", "\"say \"\"hi\"\"\""),
            ("data* \"data ba\"*", "data* \"data ba\"*"), ("a**", "a*"), ("*", "*"),
            ("a -b", "a -b"), ("a NOT b", "a -b"), ("-\"b c\"", "-\"b c\""), ("a - b", "a - b"),
            ("--a", "--a"), ("a OR b c", "a OR b c"), ("(a OR b) c", "(a OR b) c"),
            ("a AND b", "a b"), ("((a))", "a"), ("-(a b)", "-(a b)"), ("NOT NOT a", "-(-a)"),
            ("NEAR(a b)", "NEAR(a b, 10)"), ("NEAR( a \"b c\" , 3 )", "NEAR(a \"b c\", 3)"),
            ("NEAR(a 1,000, 3)", "NEAR(a 1,000, 3)"), ("NEAR (a)", "NEAR a"),
            ("or and not near", "or and not near"), ("ORDER NOTE ANDES", "ORDER NOTE ANDES"),
            ("\"OR\"", "\"OR\""), ("a\"b\"c", "a \"b\" c"), ("a OR (b OR c)", "a OR b OR c"),
            ("(a b) OR -c", "a b OR -c"), ("日本　語", "日本 語"), ("-OR", "-OR"), ("x,y", "x,y"),
        ])
    func printing(text: String, expected: String) throws {
        let query = try FullTextQuery(text)
        #expect(query.description == expected)
        #expect(try FullTextQuery(query.description) == query)
    }

    @Test(
        "a wrong query throws what is wrong and where",
        arguments: [
            ("a \"b", 2..<3, "not closed"), ("(a", 0..<1, "not closed"),
            ("a)", 1..<2, "closes none"),
            ("a OR", 4..<4, "missing at the end"), ("OR a", 0..<2, "on both sides"),
            ("a OR OR b", 5..<7, "on both sides"), ("()", 1..<2, "before this parenthesis"),
            ("a AND", 2..<5, "on both sides"), ("AND a", 0..<3, "on both sides"),
            ("NOT", 0..<3, "after it"), ("a NOT OR b", 2..<5, "after it"),
            ("NEAR(a", 0..<1, "not closed"), ("NEAR(a)", 0..<6, "two or more"),
            ("NEAR(a b, 10001)", 8..<15, "at most 10000"), ("NEAR(a (b))", 7..<8, "no parenth"),
            ("NEAR(a OR b)", 7..<9, "no operators"), ("NEAR(a -b)", 7..<9, "no operators"),
            ("é \"b", 3..<4, "not closed"),
        ] as [(String, Range<Int>, String)])
    func errors(text: String, range: Range<Int>, message: String) {
        do throws(FullTextSyntaxError) {
            _ = try FullTextParser.parse(text)
            Issue.record("\(text) was read")
        } catch {
            #expect(error.range == range, "\(text)")
            #expect(error.message.contains(message), "\(error.message)")
        }
    }

    @Test("the error of a query has the place, and that of a predicate has it in the whole text")
    func places() throws {
        do {
            let text = "swift \"data"
            _ = try FullTextQuery(text)
            Issue.record("it was read")
        } catch let error as Realm.Error {
            #expect(error.code == .invalidInput)
            #expect(error.message.hasSuffix("\n  swift \"data\n        ^"), "\(error.message)")
        }
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        let notes = realm.objects(Note.self)
        do {
            _ = try notes.filter(validating: "id > 3 AND text TEXT 'a OR'")
            Issue.record("it was read")
        } catch let error as Realm.Error {
            #expect(error.message.contains("\n  id > 3 AND text TEXT 'a OR'\n"))
            #expect(error.message.contains("\n" + String(repeating: " ", count: 28) + "^"))
        }
        do {
            _ = try notes.filter(validating: "text TEXT %@", "(a")
            Issue.record("it was read")
        } catch let error as Realm.Error {
            #expect(error.message.contains("not closed") && error.message.contains("  (a\n"))
        }
        #expect(try notes.filter(validating: "text TEXT %@", "(a)").count == 0)
    }

    @Test("a query of the words of a text has no operators, whatever is in the text")
    func plainWords() throws {
        let texts = ["a OR b", "\"x (y* -z", "NEAR(a b)", "--a -- NOT", "", "日本語"]
        for text in texts {
            let query = FullTextQuery(words: text)
            #expect(try FullTextQuery(query.description) == query, "\(text)")
        }
        #expect(FullTextQuery(words: "\"x (y* -z").description == "x y z")
        #expect(FullTextQuery(words: "a OR b").description == "a or b")
    }

    @Test("no text stops the parser, and what it reads prints and is read again")
    func fuzzing() throws {
        let seed: UInt64 = 20
        var random = SeededRandom(seed: seed)
        let pieces = [
            "\"", "(", ")", "-", "*", ",", " ", "OR", "AND", "NOT", "NEAR", "NEAR(", "a", "b c",
            "é",
            "5", ", 3)", "\u{0}", "　", "'", "\\", "\u{301}", "99999999999999999999",
        ]
        var readCount = 0
        for _ in 0..<4000 {
            let text = (0...random.below(14)).map { _ in random.pick(pieces) }.joined()
            guard let query = try? FullTextQuery(text) else { continue }
            readCount += 1
            #expect(
                try FullTextQuery(query.description) == query, "seed \(seed): \(text)")
            for tokenizer in FullTextTokenizer.allCases {
                let matcher = FullTextMatcher(FullTextPattern(query, tokenizer))
                _ = Array(text.utf8).withUnsafeBytes { matcher.matches($0) }
                _ = query.snippet(of: text, around: 1, tokenizer: tokenizer)
            }
        }
        #expect(readCount > 400)
        for _ in 0..<300 {
            let query = FullTextQuery(FullTextSource.query(&random))
            // A node that is made may have words that no text makes: what prints is read.
            if let read = try? FullTextQuery(query.description) {
                #expect(try FullTextQuery(read.description) == read, "seed \(seed): \(query)")
            }
        }
        let deep = String(repeating: "(", count: 100_000)
        #expect(throws: Realm.Error.self) { try FullTextQuery(deep) }
        #expect(throws: Realm.Error.self) {
            try FullTextQuery(String(repeating: "NOT ", count: 100_000) + "a")
        }
    }

    @Test("bytes that are no UTF-8 are divided into units without a stop")
    func damagedText() {
        var random = SeededRandom(seed: 3)
        let query: FullTextQuery = "a b* \"c d\""
        for _ in 0..<2000 {
            let bytes = random.bytes(random.below(30))
            for tokenizer in FullTextTokenizer.allCases {
                let matcher = FullTextMatcher(FullTextPattern(query, tokenizer))
                _ = bytes.withUnsafeBytes { matcher.matches($0) }
            }
        }
    }
}
