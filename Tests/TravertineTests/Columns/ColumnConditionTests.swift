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
    }

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
        "flag != true", "flag == 1", "time == nil", "next == nil", "next != nil",
    ]

    @Test("they find what a scan finds, the first time and again", arguments: texts)
    func likeAScan(text: String) throws {
        let directory = TemporaryDirectory()
        let items = try realm(in: directory).objects(ColumnItem.self)
        let expected = QueryPlanning.$isScanOnly.withValue(true) {
            items.filter(text).map(\.id)
        }
        for _ in 0..<2 {
            #expect(items.filter(text).count == expected.count)
            #expect(items.filter(text).map(\.id) == expected)
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
