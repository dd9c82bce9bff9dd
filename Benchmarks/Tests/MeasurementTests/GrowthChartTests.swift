import Testing

@testable import Measurement

@Suite("Growth chart")
struct GrowthChartTests {
    private let rate = Workload("q_rate", unit: "queries/s", meaning: "A rate.")
    private let other = Workload("q_other", unit: "queries/s", meaning: "Another one.")

    private func point(_ count: Int, _ values: [(String, String, Double)]) -> GrowthChart.Point {
        var report = BenchmarkReport(
            title: "Test", machine: MachineFacts(), notes: [], workloads: [rate, other],
            engines: ["own", "one"], subject: "own")
        report.samples = values.map {
            Sample(workload: $0.0, engine: $0.1, repetition: 1, value: $0.2)
        }
        return GrowthChart.Point(count: count, report: report)
    }

    /// The corners of the lines, in the order of the text.
    private func lines(_ svg: String) -> [[[Int]]] {
        svg.split(separator: "\n").filter { $0.hasPrefix("<polyline") }.map { line in
            line.split(separator: "\"")[1].split(separator: " ").map { corner in
                corner.split(separator: ",").compactMap { Int($0) }
            }
        }
    }

    @Test("a line goes through the values by size, evenly in powers of ten, the subject's last")
    func values() throws {
        let points = [
            point(10_000_000, [("q_rate", "own", 1000), ("q_rate", "one", 1)]),
            point(100_000, [("q_rate", "own", 1000), ("q_rate", "one", 100)]),
            point(1_000_000, [("q_rate", "own", 1000), ("q_rate", "one", 10)]),
        ]
        let svg = GrowthChart(title: "a < b", points: points).svg
        let lines = lines(svg)
        try #require(lines.count == 2 && lines.allSatisfy { $0.count == 3 })
        let (peer, own) = (lines[0], lines[1])
        #expect(own[0][1] == own[1][1] && own[1][1] == own[2][1])
        #expect(peer[0][0] < peer[1][0] && peer[1][0] < peer[2][0])
        #expect(peer[1][0] - peer[0][0] == peer[2][0] - peer[1][0])
        // Less by ten is lower by the same distance.
        #expect(peer[1][1] - peer[0][1] == peer[2][1] - peer[1][1])
        #expect(peer[1][1] > peer[0][1])
        #expect(svg.contains("10⁵") && svg.contains("10⁷") && svg.contains("a &lt; b"))
        #expect(svg.contains("one, 10⁶ objects: 10.0 queries/s"))
        #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n"))
    }

    @Test("what was not measured at a size leaves a gap, and a row without values no plot")
    func gaps() {
        let svg = GrowthChart(
            title: "t",
            points: [
                point(1000, [("q_rate", "own", 5), ("q_rate", "one", 0)]),
                point(2500, [("q_rate", "one", 7)]),
            ]
        ).svg
        #expect(lines(svg).map(\.count) == [1, 1])
        #expect(!svg.contains("q_other"))
        #expect(svg.contains("2.50k"))
        #expect(GrowthChart(title: "none", points: []).svg.hasSuffix("</svg>\n"))
    }
}
