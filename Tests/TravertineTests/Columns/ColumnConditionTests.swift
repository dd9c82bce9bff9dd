import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("Conditions that columns answer")
struct ColumnConditionTests {
    class ColumnItem: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var whole: Int
        @Persisted var part: Int?
        @Persisted var number: Double
        @Persisted var small: Float?
        @Persisted var flag: Bool
        @Persisted var time: Date?
        @Persisted var next: ColumnItem?
        @Persisted var name: String
        @Persisted var note: String?
    }

    private static let names = [
        "", "a", "Äpfel", "apfel", "ab", "abab", "ba", "öÖ", "ÖA", "zz\u{0}z", "日本", "ＡＢ", "a*b?",
        "e\u{301}te", "\u{301}", "naïve", "ab\u{0}", "aa", "aaa", "İi",
    ]

    private static let wholes = [.min, .max, 0, -1, 1, 200, 127, 128, -128, -129]
    private static let numbers: [Double] = [
        0, -0.0, .nan, -.nan, .infinity, -.infinity, 1, -1, .leastNonzeroMagnitude, 1e308,
    ]

    private func realm(in directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open([ColumnItem.self])
        try realm.write {
            for id in 0..<1000 {
                let item = ColumnItem()
                item.id = id
                item.whole = Self.wholes[id % 10]
                item.part = id % 3 == 0 ? nil : id % 7
                item.number = Self.numbers[id % 10]
                item.small = id % 4 == 0 ? nil : Float(Self.numbers[(id + 3) % 10])
                item.flag = id % 2 == 0
                item.name = Self.names[id % 20]
                item.note = id % 7 == 0 ? nil : Self.names[(id * 3) % 20] + Self.names[id % 13]
                item.time = id % 5 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(id))
                realm.add(item)
                if id % 3 == 1 {
                    item.next = realm.object(ofType: ColumnItem.self, forPrimaryKey: id - 1)
                }
            }
        }
        return realm
    }

    private static let texts = [
        // A list without constants left columns a condition without parts, which stopped.
        "whole IN {}", "NOT whole IN {}", "NOT part IN {1.5}", "flag == true OR part IN {}",
        "part IN {nil}", "number IN {0}", "number IN {-0.0, 1}", "small IN {1, nil}",
        "whole IN {0, 1, 128} AND part IN {1, 2, 3}", "whole > 127", "whole < 1e300",
        "whole >= 9223372036854775807", "whole != 1.5", "whole > 9.3e18", "part == nil",
        "part != nil", "part <= nil", "part != 3", "NOT part < 3", "part BETWEEN {1, 3}",
        "part BETWEEN {3, 1}", "small == nil", "small != 1", "NOT small > 0", "small == 0.1",
        "number > 0", "number != 0", "NOT number == 0", "number BETWEEN {0, 1}", "number == nil",
        "name == 'ab'", "name != 'ab'", "note != 'ab'", "note == nil", "note != nil", "name < 'b'",
        "name >= 'ab'", "note <= 'ö'", "note > ''", "name == ''", "note BETWEEN {'a', 'b'}",
        "name CONTAINS 'a'", "name CONTAINS 'ab'", "note CONTAINS 'aba'", "note CONTAINS ''",
        "NOT note CONTAINS 'a'", "name CONTAINS[c] 'ö'", "name CONTAINS[cd] 'APF'",
        "note CONTAINS[d] 'e'", "note CONTAINS[cd] ''", "name BEGINSWITH 'ab'",
        "note ENDSWITH 'a'", "name ENDSWITH[c] 'ÖA'", "note BEGINSWITH[cd] 'ö'",
        "name ==[c] 'äpfel'",
        "name ==[cd] 'apfel'", "note !=[cd] 'abab'", "name LIKE 'a*'", "note LIKE '*a?'",
        "note IN {'abab', nil}", "name IN[c] {'ÄPFEL', 'ab'}", "note IN[cd] {nil, 'ABAB'}",
        "name CONTAINS '日'", "name CONTAINS '\u{0}'", "note CONTAINS nil",
        "name CONTAINS 'a' AND whole > 0 OR note == nil",
        "whole IN {1,2,3,4,5,6,7,8,9,0,-1,127}", "part IN {nil,1,2,3,11,12,13,14,15,16,17}",
        "number IN {-0.0,1,2,3,4,5,6,7,8,9,10,11}", "small IN {1,2,3,4,5,6,7,8,9,10,nil,-1}",
        "whole IN {200,201,202,203,204,205,206,207,208,209,210,211,212,213,214,215,216,217}",
        "flag != true", "flag == 1", "time == nil", "next == nil", "next != nil",
    ]

    @Test("they find what a scan finds, the first time and again", arguments: texts)
    func likeAScan(text: String) throws {
        let directory = TemporaryDirectory()
        let items = try realm(in: directory).objects(ColumnItem.self)
        let expected = QueryPlanning.$isScanOnly.withValue(true) {
            items.filter(text).map(\.id)
        }
        for _ in 0..<3 {
            #expect(items.filter(text).count == expected.count)
            #expect(items.filter(text).map(\.id) == expected)
        }
        for key in ["name", "note", "number", "small", "part", "time"] {
            for ascending in [true, false] {
                let sorted = items.filter(text).sorted(byKeyPath: key, ascending: ascending)
                let order = QueryPlanning.$isScanOnly.withValue(true) { sorted.map(\.id) }
                let again = items.filter(text).sorted(byKeyPath: key, ascending: ascending)
                #expect(again.map(\.id) == order, "by \(key)")
                #expect(again.limit(7).map(\.id) == Array(order.prefix(7)), "by \(key), limit")
            }
        }
    }

    @Test("a membership in no values may be a part of other conditions")
    func noValues() throws {
        let directory = TemporaryDirectory()
        let items = try realm(in: directory).objects(ColumnItem.self)
        #expect(items.where { $0.whole.in([]) || $0.flag == true }.count == 500)
        #expect(items.where { !$0.whole.in([]) }.count == 1000)
    }

    @Test("the first match ends the search in a leaf, with columns and without")
    func firstMatch() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(in: directory)
        let items = realm.objects(ColumnItem.self)
        for _ in 0..<2 {
            #if DEBUG
                realm.session.visits.rows = 0
            #endif
            #expect(items.where { $0.whole == 1 }.first?.id == 4)
            #expect(!items.where { $0.whole == 1 }.isEmpty)
            #if DEBUG
                #expect(realm.session.visits.rows <= 10)
            #endif
            #expect(items.where { $0.whole == 1 }.count == 100)
        }
    }
}
