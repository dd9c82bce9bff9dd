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

    @Test("a workload may name the peer that it is compared with")
    func namedPeer() {
        let named = Workload(
            "rate", unit: "ops/s", target: .ratio(2), peer: "one", meaning: "A rate.")
        let report = report([("rate", "own", 30), ("rate", "one", 10), ("rate", "two", 20)])
        #expect(report.ratio(named) == 3)
        #expect(report.ratio(rate) == 1.5)
        #expect(report.isReached(named) == true)
    }

    @Test("a missed target is reported, and nothing to compare gives no message")
    func verdicts() {
        let report = report([("rate", "own", 10), ("rate", "one", 10), ("time", "own", 4)])
        #expect(report.isReached(rate) == false)
        #expect(report.isReached(time) == false)
        #expect(report.ratio(time) == nil)
        #expect(report.text.contains("MISS"))
    }

    @Test("a pause may be as long as the best peer's, or as the limit")
    func limitsAndPeers() {
        let pause = Workload(
            "pause", unit: "ms", better: .lower, target: .atMostOrBestPeer(50), meaning: "A pause.")
        let share = Workload("share", unit: "×", target: .atLeast(0.8), meaning: "A share.")
        func report(_ own: Double, _ peer: Double?) -> BenchmarkReport {
            var report = BenchmarkReport(
                title: "Test", machine: MachineFacts(), notes: [], workloads: [pause, share],
                engines: ["own", "one"], subject: "own")
            for workload in [pause, share] {
                for (engine, value) in [("own", own), ("one", peer ?? .nan)] where !value.isNaN {
                    report.samples.append(
                        Sample(
                            workload: workload.name, engine: engine, repetition: 1, value: value))
                }
            }
            return report
        }
        #expect(report(40, 10).isReached(pause) == true)
        #expect(report(60, 70).isReached(pause) == true)
        #expect(report(60, 55).isReached(pause) == false)
        #expect(report(60, nil).isReached(pause) == false)
        #expect(report(0.8, 9).isReached(share) == true)
        #expect(report(0.79, nil).isReached(share) == false)
    }

    @Test("latencies are shown with their tail and the longest one")
    func tails() throws {
        var histogram = LatencyHistogram()
        for _ in 0..<10_000 { histogram.record(1000) }
        histogram.record(7_000_000)
        var report = report([])
        report.samples = [
            Sample(
                workload: "rate", engine: "own", repetition: 1, value: 1, latencies: histogram)
        ]
        let line = try #require(report.latencyTable.last)
        #expect(line[1].hasPrefix("1") && line[1].hasSuffix("/ 7.00k"))
        #expect(line[1].split(separator: "/").count == 4)
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
