import Testing

@testable import Measurement

@Suite("Benchmark report")
struct BenchmarkReportTests {
    private let rate = Workload("rate", unit: "ops/s", target: .ratio(2), meaning: "A rate.")
    private let time = Workload(
        "time", unit: "ms", better: .lower, target: .atMost(3), meaning: "A time.")

    private func report(_ values: [(String, String, Double)]) -> BenchmarkReport {
        var report = BenchmarkReport(
            title: "Test", machine: MachineFacts(), notes: [], workloads: [rate, time],
            engines: ["own", "one", "two"], subject: "own")
        report.samples = values.map {
            Sample(workload: $0.0, engine: $0.1, repetition: 1, value: $0.2)
        }
        return report
    }

    @Test("a rate is divided by the best peer's, a time divides it")
    func ratios() {
        let report = report([
            ("rate", "own", 30), ("rate", "one", 10), ("rate", "two", 12),
            ("time", "own", 2), ("time", "one", 8), ("time", "two", 4),
        ])
        #expect(report.ratio(rate) == 2.5)
        #expect(report.ratio(time) == 2)
        #expect(report.isReached(rate) == true)
        #expect(report.isReached(time) == true)
    }

    @Test("missing a target says so, and nothing to compare says nothing")
    func verdicts() {
        let report = report([("rate", "own", 10), ("rate", "one", 10), ("time", "own", 4)])
        #expect(report.isReached(rate) == false)
        #expect(report.isReached(time) == false)
        #expect(report.ratio(time) == nil)
        #expect(report.text.contains("MISS"))
    }

    @Test("the range is shown only where repetitions differ by more than a fifth")
    func ranges() throws {
        let narrow = try #require(Cell([100, 105, 110]))
        #expect(narrow.formatted() == "105")
        let wide = try #require(Cell([80, 100, 300]))
        #expect(wide.formatted() == "100 (80.0–300)")
        #expect(Cell([1, 3])?.median == 2)
        #expect(Cell([]) == nil)
    }

    @Test("numbers are short and keep three digits")
    func numbers() {
        #expect(shortNumber(0) == "0")
        #expect(shortNumber(0.3951) == "0.395")
        #expect(shortNumber(4.567) == "4.57")
        #expect(shortNumber(4425) == "4.42k" || shortNumber(4425) == "4.43k")
        #expect(shortNumber(274_100) == "274k")
        #expect(shortNumber(15_930_000) == "15.93M")
        #expect(decimals(-1.05, 1) == "-1.1" || decimals(-1.05, 1) == "-1.0")
    }

    @Test("tables have one cell per column, and charts and JSON can be made")
    func rendering() throws {
        let report = report([("rate", "own", 30), ("rate", "one", 10), ("rate", "own", 31)])
        for line in report.valueTable { #expect(line.count == report.valueTable[0].count) }
        #expect(report.markdown.contains("| rate | ops/s |"))
        #expect(report.chart.hasPrefix("<svg"))
        #expect(try report.json().contains("\"engine\" : \"own\""))
    }

    @Test("options are read with a space or an equals sign")
    func arguments() throws {
        var reader = ArgumentReader(["--a", "1", "--b=2", "--c"])
        #expect(reader.nextName() == "--a")
        #expect(try reader.number(of: "--a") == 1)
        #expect(reader.nextName() == "--b")
        #expect(try reader.number(of: "--b") == 2)
        #expect(reader.nextName() == "--c")
        #expect(throws: BenchmarkError.self) { try reader.value(of: "--c") }
        #expect(reader.nextName() == nil)
    }
}
