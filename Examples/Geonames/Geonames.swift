import Foundation
import TravertineStore

/// Ingests the GeoNames files as typed objects, asks questions, opens the database again, and
/// prints what it all cost.
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
        let objectCount = rows.countries.count + rows.cities.count

        report.heading("ingest: \(rows.countries.count) countries, \(rows.cities.count) cities")
        let ingest = try seconds { try places.ingest(rows) }
        report.figure(
            "first time", "\(Int(Double(objectCount) / ingest)) records/s (\(format(ingest)) s)")
        let again = try seconds { try places.ingest(rows) }
        report.figure(
            "again, updating",
            "\(Int(Double(objectCount) / again)) records/s (\(format(again)) s)")

        report.heading("questions")
        try Questions(realm: places.open(), rows: rows).ask(&report)

        report.heading("after opening it again")
        let milliseconds =
            try 1000
            * seconds {
                let realm = try places.open()
                let city = realm.object(ofType: City.self, forPrimaryKey: rows.cities[0].geonameid)
                report.check("first object", city?.name, expected: rows.cities[0].name)
            }
        report.figure("time to open and read it", "\(format(milliseconds)) ms")
        try Questions(realm: places.open(), rows: rows).ask(&report)

        report.heading("on disk")
        try reportSpace(of: places, rows, &report)
        return report.failureCount
    }

    private static func reportSpace(
        of places: Places, _ rows: SourceRows, _ report: inout Report
    ) throws {
        let store = try Store.open(at: places.directory.path)
        let statistics = try store.statistics
        try store.close()
        let onDisk = statistics.allocatedByteCount + statistics.pageFileByteCount
        report.figure("source files", kibibytes(rows.byteCount))
        report.figure("live records", kibibytes(statistics.liveByteCount))
        report.figure(
            "log and index",
            "\(kibibytes(onDisk)) (\(kibibytes(statistics.pageFileByteCount)) of it index)")
        report.figure("space amplification", format(statistics.spaceAmplification))
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

    private static func kibibytes(_ byteCount: Int) -> String { "\(byteCount >> 10) KiB" }

    private static func format(_ value: Double) -> String { String(format: "%.2f", value) }
}
