import Foundation
import Travertine
import TravertineDocuments

/// A place of the file that is imported, as an application would declare it.
final class City: Object {
    @Persisted(primaryKey: true) var geonameid: Int
    @Persisted var admin1code: String
    @Persisted var alternatenames: List<String>
    @Persisted var countrycode: String
    @Persisted var latitude: Double
    @Persisted var longitude: Double
    @Persisted var name: String
    @Persisted var population: Int
    @Persisted var timezone: String
}

/// Measures how fast documents become objects and objects documents, in CPU time of the one thread
/// that does it, so that other work on the machine matters little.
///
/// `Tools/swift run -c release documents FILE.jsonl [ROUNDS]`; the file has the
/// fields of Examples/Data/cities.jsonl. Durability is `.unsynced`, 1,000 documents to a
/// transaction.
@main
enum DocumentsCommand {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first else {
            print("usage: documents FILE.jsonl [ROUNDS]")
            exit(64)
        }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let rounds = arguments.dropFirst().first.flatMap { Int($0) } ?? 3
        for round in 1...max(1, rounds) {
            print("round \(round)")
            try measure(bytes)
        }
    }

    private static func measure(_ bytes: [UInt8]) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("travertine-documents-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder, objectTypes: [City.self], durability: .unsynced))
        try tell("reading alone", bytes.count) {
            var stream = DocumentStream(.extendedJSON, bytes)
            var count = 0
            while try stream.next() != nil { count += 1 }
            return count
        }
        try tell("importing", bytes.count) { try importAll(bytes, into: realm) }
        for format in [DocumentExporter.Format.extendedJSON(.relaxed), .bson] {
            let exporter = try DocumentExporter(realm, type: "City")
            var byteCount = 0
            var seconds = threadSeconds()
            let count = try exporter.export(as: format) { piece, _ in byteCount += piece.count }
            seconds = threadSeconds() - seconds
            print(line("exporting \(format)", count, byteCount, seconds))
        }
    }

    private static func importAll(_ bytes: [UInt8], into realm: Realm) throws -> Int {
        let importer = try DocumentImporter(realm, type: "City")
        var stream = DocumentStream(.extendedJSON, bytes)
        var isMore = true
        while isMore {
            try realm.write {
                for _ in 0..<1_000 where isMore { isMore = try stream.next(into: importer) }
            }
        }
        return importer.insertedCount
    }

    private static func tell(
        _ label: String, _ byteCount: Int, _ body: () throws -> Int
    ) throws {
        let start = threadSeconds()
        let count = try body()
        print(line(label, count, byteCount, threadSeconds() - start))
    }

    private static func line(
        _ label: String, _ count: Int, _ byteCount: Int, _ seconds: Double
    ) -> String {
        "  \(label): \(count) objects, \(Int(Double(count) / seconds)) objects/s, "
            + "\(Int(Double(byteCount) / seconds / 1e6)) MB/s"
    }

    /// The CPU time of this thread.
    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
