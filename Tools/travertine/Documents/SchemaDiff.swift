import Foundation
import Travertine
import TravertineDocuments

/// `travertine schema --diff`: what opening a database with the types of another one, or of
/// schemas, would do.
struct SchemaDiff {
    private struct Entry: Encodable {
        let type: String
        let property: String?
        let need: String
        let change: String
    }

    let realm: Realm
    /// Only this type, by its stored name.
    let typeName: String?

    /// Prints the changes.
    ///
    /// - Returns: whether some of them need a migration that is written by hand, or can't be made.
    func run(against path: String, isJSON: Bool) throws -> Bool {
        let types = try Self.types(path)
        let changes = realm.schemaChanges(to: types, areAll: true)
            .filter { typeName == nil || $0.typeName == typeName }
        if let typeName, !hasType(typeName, types) {
            throw CommandError(
                ExitStatus.noInput,
                "neither the store nor \(path) has an object type “\(typeName)”.")
        }
        if isJSON {
            print(
                try JSONReport.text(
                    of: changes.map {
                        Entry(
                            type: $0.typeName, property: $0.propertyName, need: $0.need.rawValue,
                            change: $0.description)
                    }))
        } else {
            for change in changes { print("\(Self.word(change.need)): \(change.description)") }
            printNote(Self.summary(changes))
        }
        return changes.contains { $0.need == .step || $0.need == .refused }
    }

    private func hasType(_ name: String, _ types: [ObjectSchema]) -> Bool {
        (types + realm.schema.objectSchema).contains { $0.objectTypeName == name }
    }

    /// The types of another store, or those that schemas make.
    private static func types(_ path: String) throws -> [ObjectSchema] {
        let url = URL(fileURLWithPath: path, isDirectory: true)
        if FileManager.default.fileExists(atPath: url.appendingPathComponent("manifest").path) {
            return try StoredTypes.realm(path, forReading: true).schema.objectSchema
        }
        let collections = try SchemaFiles.collections([path])
        let made = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "schema-diff", objectTypes: []))
        return try StoredTypes.explained {
            try made.addTypes(of: collections)
            return made.schema.objectSchema
        }
    }

    private static func word(_ need: SchemaChange.Need) -> String {
        switch need {
        case .nothing: "nothing needed"
        case .version: "higher version"
        case .step: "migration"
        case .refused: "not possible"
        }
    }

    private static func summary(_ changes: [SchemaChange]) -> String {
        let counts = SchemaChange.Need.allCases.compactMap { need -> String? in
            let count = changes.filter { $0.need == need }.count
            return count == 0 ? nil : "\(word(need)): \(Figures.count(count))"
        }
        return Figures.count(changes.count, "change")
            + (counts.isEmpty ? "" : " (" + counts.joined(separator: ", ") + ")")
    }
}
