import Foundation
import TravertineStore

/// Stores the GeoNames files as typed objects, asks questions, opens the database again, and prints
/// what it all cost.
///
/// usage: Geonames --data DIRECTORY --directory DIRECTORY
@main
struct Geonames {
    static func main() {
        do {
            let (data, directory) = try arguments()
            let failureCount = try run(data: data, places: Places(directory: directory))
            exit(failureCount == 0 ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(data: URL, places: Places) throws -> Int {
        var report = Report()
        let rows = try SourceRows(directory: data)

        report.heading("store \(rows.countries.count) countries and \(rows.cities.count) cities")
        report.figure("make the database", milliseconds(try seconds { _ = try places.open() }))
        let storing = try seconds { try places.ingest(rows) }
        let again = try seconds { try places.ingest(rows) }
        let transactionCount = Places.transactionCount(of: rows)
        report.figure(
            "store them",
            "\(rate(rows, storing)), \(transactionCount) transactions, each on the disk")
        report.figure("store them again, as updates", rate(rows, again))

        report.heading("ask, and compare with what plain Swift finds in the JSON")
        try Questions(realm: places.open(), rows: rows).ask(&report)

        report.heading("close it, and open it again")
        let reopening = try seconds {
            let city = try places.open()
                .object(ofType: City.self, forPrimaryKey: rows.cities[0].geonameid)
            report.check("the first city", city?.name, expected: rows.cities[0].name)
        }
        report.figure("open and read it", milliseconds(reopening))
        try report.summarize("the same questions") {
            try Questions(realm: places.open(), rows: rows).ask(&$0)
        }

        report.heading("space on the disk")
        try reportSpace(of: places, rows, &report)
        return report.failureCount
    }

    /// Compaction removes what the second storing replaced. It runs by itself in larger stores; one
    /// as small as this is left as it is until it is asked for.
    private static func reportSpace(
        of places: Places, _ rows: SourceRows, _ report: inout Report
    ) throws {
        report.figure("with what was replaced", kibibytes(bytesOnDisk(try statistics(of: places))))
        let store = try Store.open(at: places.directory.path)
        try store.compact()
        try store.close()
        let statistics = try statistics(of: places)
        let onDisk = bytesOnDisk(statistics)
        report.figure("compacted", kibibytes(onDisk))
        report.figure("  log: the objects", kibibytes(statistics.allocatedByteCount))
        report.figure("  index: two checkpoints of it", kibibytes(statistics.pageFileByteCount))
        report.figure(
            "log ÷ live objects (1 is the least)",
            ratio(statistics.allocatedByteCount, statistics.liveByteCount))
        report.figure("the JSON files they came from", kibibytes(rows.byteCount))
        report.figure("compacted ÷ JSON", ratio(onDisk, rows.byteCount))
    }

    /// Those of a store that was closed: while it is open, its log has room for what comes next.
    private static func statistics(of places: Places) throws -> StoreStatistics {
        let store = try Store.open(at: places.directory.path)
        let statistics = try store.statistics
        try store.close()
        return statistics
    }

    private static func bytesOnDisk(_ statistics: StoreStatistics) -> Int {
        statistics.allocatedByteCount + statistics.pageFileByteCount
    }

    private static func arguments() throws -> (data: URL, directory: URL) {
        var values: [String: URL] = [:]
        var rest = CommandLine.arguments.dropFirst()
        while let name = rest.popFirst(), let value = rest.popFirst() {
            values[name] = URL(fileURLWithPath: value)
        }
        guard let data = values["--data"], let directory = values["--directory"] else {
            FileHandle.standardError.write(
                Data("usage: Geonames --data DIRECTORY --directory DIRECTORY\n".utf8))
            exit(64)
        }
        return (data, directory)
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds)
            + Double(duration.components.attoseconds) / 1e18
    }

    private static func rate(_ rows: SourceRows, _ seconds: Double) -> String {
        let objectCount = rows.countries.count + rows.cities.count
        return "\(Int(Double(objectCount) / seconds)) objects/s (\(milliseconds(seconds)))"
    }

    private static func milliseconds(_ seconds: Double) -> String {
        String(format: "%.1f ms", seconds * 1000)
    }

    private static func kibibytes(_ byteCount: Int) -> String { "\(byteCount >> 10) KiB" }

    private static func ratio(_ byteCount: Int, _ divisor: Int) -> String {
        String(format: "%.2f", Double(byteCount) / Double(divisor))
    }
}
