import Travertine
import TravertineDocuments

/// The objects of a table at one version, to be written to a file of the browser.
struct ObjectsToExport: Sendable {
    private let objects: Frozen<Results<DynamicObject>>
    private let type: String

    init(_ objects: Results<DynamicObject>, type: String) {
        self.objects = Frozen(objects)
        self.type = type
    }

    /// The name of the file that the browser proposes.
    var fileName: String {
        let isPlain = type.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        }
        return (isPlain ? type : "objects") + ".jsonl"
    }

    /// Writes them as JSON Lines of relaxed Extended JSON, in any thread.
    func write(_ write: ([UInt8]) throws -> Void) throws {
        guard let realm = objects.value.realm else { return }
        let exporter = try DocumentExporter(realm, resultsOf: type)
        try exporter.export(objects.value, as: .extendedJSON(.relaxed)) { bytes, _ in
            try write(bytes)
        }
    }
}

extension RealmExplorer {
    /// The objects of a table as they are now.
    func objectsToExport(_ description: QueryDescription) throws -> ObjectsToExport {
        let query = try query(description)
        // Says here what is wrong: what is sent later can only be cut off.
        _ = try query.count()
        return ObjectsToExport(query.results, type: description.type)
    }
}
