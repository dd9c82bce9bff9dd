import Testing

@testable import Travertine

/// The judge of queries is judged by examples that are written by hand.
@Suite("Plain evaluator")
struct PlainEvaluatorTests {
    @Test("agrees with the examples of each rule", arguments: MeaningRow.rules)
    func examples(rule: String) throws {
        let rows = MeaningRow.all.filter { $0.rule == rule }
        #expect(!rows.isEmpty)
        for row in rows {
            let (world, keys) = try row.makeWorld()
            let found = try PlainEvaluator(world.data)
                .keys(in: .type(row.type), QueryExpression(row.predicate(world)))
            #expect(found == row.expected.map { keys[$0] }, "\(row)")
        }
    }

    @Test("has no example of a rule that there is not")
    func rules() {
        #expect(Set(MeaningRow.all.map(\.rule)) == Set(MeaningRow.rules))
    }

    @Test("is compared with a realm that is in step with its model", arguments: [1, 2, 3])
    func inStep(seed: UInt64) throws {
        let world = try World()
        var values = WorldGenerator(seed: seed)
        try values.fill(world, 30)
        for round in 0..<4 {
            #expect(world.mismatches() == [], "seed \(seed), round \(round)")
            try values.change(world, 40)
        }
        #expect(try world.realm.brokenInvariants() == [], "seed \(seed)")
    }

    @Test("compares numbers of all types without rounding")
    func numbers() {
        let ascending: [PlainNumber] = [
            .double(-.infinity), .decimal("-1E+6000"), .double(-0x1p63 * 2), .int(.min),
            .int(.min + 1), .decimal("-0.1"), .double(0), .decimal("1E-6000"),
            .double(.leastNonzeroMagnitude), .double(0.1), .int(1 << 53),
            .decimal("9007199254740992.5"), .int(1 << 53 + 1), .int(.max), .double(0x1p63),
            .decimal("9223372036854776001"), .double(1e300), .decimal("1E+6000"),
            .double(.infinity),
        ]
        for (first, left) in ascending.enumerated() {
            for (second, right) in ascending.enumerated() {
                let expected = first == second ? 0 : first < second ? -1 : 1
                #expect(PlainNumber.order(left, right) == expected, "\(left) and \(right)")
            }
        }
        // A double is compared with a decimal as the decimal that it prints as.
        #expect(PlainNumber.order(.double(0.1), .decimal("0.1")) == 0)
        #expect(PlainNumber.order(.double(-0.0), .decimal("0.00")) == 0)
        #expect(PlainNumber.order(.decimal(.nan), .decimal(.nan)) == nil)
    }

    @Test("sorts nil first, then NaN, and keeps the order of equal ones")
    func sorting() throws {
        let row = MeaningRow(
            "", "", "realOrNil",
            [.double(1), .null, .double(.nan), .double(-1), .null, .double(1)], .constant(true),
            [])
        let (world, _) = try row.makeWorld()
        func ids(_ descriptors: [ResultsDescriptor]) throws -> [Int] {
            try PlainEvaluator(world.data)
                .keys(in: .type("WorldSpot"), QueryExpression(.constant(true), descriptors)).map(
                    \.id)
        }
        let ascending = SortDescriptor(keyPath: "realOrNil")
        #expect(try ids([.sorted([ascending])]) == [1, 4, 2, 3, 0, 5])
        #expect(try ids([.sorted([ascending.reversed()])]) == [0, 5, 3, 2, 1, 4])
        #expect(try ids([.distinct(["realOrNil"])]) == [0, 1, 2, 3])
        #expect(try ids([.limited(offset: 2, count: 3)]) == [2, 3, 4])
    }
}
