import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md 2: objects of types without a class, and what is added to classes.
@Suite("Observing types without a class")
struct DynamicObservingTests {
    private let directory = TemporaryDirectory()

    private func open(_ schemas: [ObjectSchema], _ types: [ObjectBase.Type] = []) throws -> Realm {
        var configuration = Realm.Configuration(fileURL: directory.url, objectTypes: types)
        configuration.objectSchemas = schemas
        return try Realm(configuration: configuration)
    }

    // Found by random schemas, seed 2: the stored name was reported.
    @Test("properties are reported by the names of the schema, and not by their stored ones")
    func names() throws {
        let note = ObjectSchema(
            "Note",
            properties: [
                Property("text", .string, storedName: "body"), Property("rank", .int),
            ])
        let realm = try open([note])
        try realm.write { realm.dynamicCreate("Note", value: ["text": "a"]) }
        let object = realm.dynamicObjects("Note")[0]
        let reports = Reports()
        let tokens = [
            object.observe { reports.note($0) },
            object.observe(keyPaths: ["body"]) { reports.note($0) },
        ]
        try realm.write {
            object["text"] = "b"
            object["rank"] = 1
        }
        realm.refresh()
        #expect(reports.take() == ["text,rank", "text"])
        for token in tokens { token.invalidate() }
    }
}
