import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Hits that SQLite's FTS5 (3.40.1) has for the same texts: real places with their names in many
/// languages.
///
/// They were made by Python's `sqlite3` with `tokenize = "unicode61 remove_diacritics 2"` and, for
/// the second table, `tokenize = "trigram"`: row *i* has the text of line *i*, as `text(of:)` makes
/// it. The queries are those of the tables, with `NOT` for `-`, and `AND` beside parentheses. Of
/// each result its count is noted, and a number made of its rows.
///
/// Elsewhere the two differ, by rule: FTS5 divides words at each sign, so that "N'Djamena" is two
/// of them and a bare "a-b" is a phrase; it folds fewer letters (ß, and all of Greek and Cyrillic
/// marks); it refuses a query that is only negated; of trigrams it keeps marks, and finds nothing
/// for fewer than three characters; its weight of a word is ln((N − n + 0.5) / (n + 0.5)), at least
/// 10⁻⁶.
@Suite("Full text compared with FTS5")
struct FullTextComparisonTests {
    private struct Line: Decodable {
        var name: String
        var countrycode: String
        var timezone: String
        var alternatenames: [String]?
    }

    private static func text(of line: Line) -> String {
        "\(line.name) (\(line.countrycode)), \(line.timezone). "
            + (line.alternatenames ?? []).joined(separator: ", ")
    }

    private static func open(_ directory: TemporaryDirectory) throws -> Realm {
        let data = try String(
            contentsOf: ProjectFiles.url("Examples/Data/cities.jsonl"), encoding: .utf8)
        let decoder = JSONDecoder()
        let realm = try directory.open([Note.self])
        try realm.write {
            for (id, line) in data.split(separator: "\n").enumerated() {
                let place = try decoder.decode(Line.self, from: Data(line.utf8))
                realm.add(Note(id, text(of: place)))
            }
        }
        return realm
    }

    private static func number(of ids: [Int]) -> UInt32 {
        ids.reduce(0) { $0 &* 31 &+ UInt32($1) &+ 1 }
    }

    @Test("two words, beginnings, phrases, NEAR, OR and NOT find what FTS5 finds")
    func words() throws {
        let directory = TemporaryDirectory()
        let notes = try Self.open(directory).objects(Note.self)
        let cases: [(String, Int, UInt32)] = [
            ("san america", 24, 3_255_159_238), ("america new york", 19, 393_088_861),
            ("europe -berlin -paris", 142, 2_505_395_766), ("san* europe", 3, 107_596),
            ("new* america", 24, 2_339_224_179),
            ("\"santa cruz\"", 1, 1290),
            ("\"new york\"", 19, 393_088_861), ("\"san jos\"*", 2, 40617),
            ("NEAR(san america, 3)", 12, 1_472_977_608), ("NEAR(santa america, 1)", 0, 0),
            ("NEAR(\"new york\" city, 4)", 1, 1357),
            ("saint OR sankt OR sint", 5, 172_271_965), ("(saint OR sankt) europe", 1, 170),
            ("asia -(tokyo OR shanghai)", 480, 3_881_506_568), ("munchen", 1, 1099),
            ("munich OR \"monaco di baviera\"", 1, 1099), ("zzzz", 0, 0),
            ("los*", 18, 3_726_399_089),
            ("ber* europe", 16, 66_771_208),
        ]
        for (text, count, number) in cases {
            let query = try FullTextQuery(text)
            let found = QueryPlanning.$prefersIndexes.withValue(true) {
                Array(notes.where { $0.text.fullText(query) }.map(\.id))
            }
            #expect(found.count == count, "\(text)")
            #expect(Self.number(of: found) == number, "\(text)")
        }
    }

    @Test("an apostrophe joins letters, where FTS5 divides words")
    func apostrophes() throws {
        let directory = TemporaryDirectory()
        let notes = try Self.open(directory).objects(Note.self)
        // FTS5 has 41 hits: the one more is "Gul'barga".
        #expect(notes.where { $0.text.fullText("bar* OR ber*") }.count == 40)
        #expect(notes.where { $0.text.fullText("gul'bar*") }.map(\.id) == [390])
    }

    @Test("parts of words find what FTS5 finds with its trigrams")
    func trigrams() throws {
        let directory = TemporaryDirectory()
        let notes = try Self.open(directory).objects(Note.self)
        let cases: [(String, Int, UInt32)] = [
            ("burg", 35, 1_795_319_972), ("\"ton, \"", 11, 187_720_699),
            ("ville OR burgh", 16, 2_305_203_723), ("\"an fr\"", 2, 39004),
        ]
        for (text, count, number) in cases {
            let query = try FullTextQuery(text)
            let found = QueryPlanning.$prefersIndexes.withValue(true) {
                Array(notes.where { $0.parts.fullText(query) }.map(\.id))
            }
            #expect(found.count == count, "\(text)")
            #expect(Self.number(of: found) == number, "\(text)")
        }
    }

    @Test("the best matches of words that few texts have are those of FTS5's ranking")
    func ranking() throws {
        let directory = TemporaryDirectory()
        let notes = try Self.open(directory).objects(Note.self)
        for (text, ids) in [
            ("berlin", [1111, 1102, 1096]), ("santa", [1259, 1289, 534, 1252, 1203]),
            ("san OR los", [1302, 1368, 1370, 1369, 1204]),
        ] {
            let query = try FullTextQuery(text)
            let ranked = notes.ranked(by: \.text, matching: query, limit: ids.count)
            #expect(ranked.map(\.object.id) == ids, "\(text)")
        }
    }
}
