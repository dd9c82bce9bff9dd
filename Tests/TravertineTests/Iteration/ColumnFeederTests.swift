import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Loops over results that columns selected, whose handles columns feed (S-Q7).
@Suite("A loop gets from columns what rows would give it")
struct ColumnFeederTests {
    @Test("a loop in a loop over the same results, and what both read of columns")
    func nestedLoops() throws {
        let directory = TemporaryDirectory()
        let realm = try SelectionTests.filled(directory)
        let gauges = realm.objects(PickedGauge.self)
        #expect(gauges.where { $0.tag >= 0 }.count == 3000)
        let found = gauges.where { $0.number == 1 && $0.tag < 60 }
        var pairs: [[Int]] = []
        for first in found {
            var sum = 0
            for second in found where second.tag > 30 { sum += second.number }
            pairs.append([first.tag, first.number, sum])
        }
        #expect(pairs == stride(from: 1, to: 60, by: 3).map { [$0, 1, 10] })
    }

    @Test("a loop sees what it changes of the object that columns feed")
    func changesOfFedObjects() throws {
        let directory = TemporaryDirectory()
        let realm = try SelectionTests.filled(directory)
        let gauges = realm.objects(PickedGauge.self)
        #expect(gauges.where { $0.number >= 0 }.count == 3000)
        var kept: [PickedGauge] = []
        var numbers: [Int] = []
        for gauge in gauges.where({ $0.number == 1 }) {
            numbers.append(gauge.number)
            if numbers.count == 2 || numbers.count == 700 {
                try realm.write { gauge.number = 7 }
                numbers.append(gauge.number)
                kept.append(gauge)
            }
        }
        var expected = Array(repeating: 1, count: 1000)
        expected.insert(7, at: 2)
        expected.insert(7, at: 700)
        #expect(numbers == expected)
        #expect(kept.map(\.tag) == [4, 2095] && kept.map(\.number) == [7, 7])
    }

    #if DEBUG
        @Test("a loop that reads what columns have reads no row, and all rows once it reads more")
        func visitsOfLoops() throws {
            let directory = TemporaryDirectory()
            let realm = try SelectionTests.filled(directory)
            let found = realm.objects(PickedGauge.self).where { $0.number == 1 }
            #expect(found.count == 1000)
            func rowCount(_ body: (PickedGauge) -> Void) -> Int {
                realm.session.visits.rows = 0
                for gauge in found { body(gauge) }
                return realm.session.visits.rows
            }
            var sum = 0
            #expect(rowCount { sum += $0.number } == 0)
            #expect(sum == 1000)
            #expect(rowCount { sum += $0.number + $0.tag } == 1000)
            #expect(sum == 2000 + (0..<1000).reduce(0) { $0 + 3 * $1 + 1 })
            var kept: [PickedGauge] = []
            // Nothing feeds handles that are kept: their rows are read together.
            #expect(rowCount { kept.append($0) } > 900)
            #expect(kept.map(\.tag) == (0..<1000).map { 3 * $0 + 1 })
        }
    #endif
}
