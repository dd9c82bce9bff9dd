import Testing

@testable import Travertine

/// What each comparison means: the examples of `Documentation/Queries.md`, rule by rule.
@Suite("Meaning of conditions")
struct ConditionMeaningTests {
    @Test("is that of the examples of each rule", arguments: MeaningRow.rules)
    func examples(rule: String) throws {
        for row in MeaningRow.all where row.rule == rule {
            let (world, keys) = try row.makeWorld()
            let expression = QueryExpression(row.predicate(world))
            for isScanOnly in [false, true] {
                let found = try RealmEvaluation.keys(
                    world, .type(row.type), expression, isScanOnly: isScanOnly)
                #expect(
                    found == row.expected.map { keys[$0] },
                    "\(row), \(isScanOnly ? "by a scan" : "as planned")")
            }
        }
    }
}
