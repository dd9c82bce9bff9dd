import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Types against the files of a data source")
struct DataSourceCheckTests {
    private func link(_ field: String, _ collection: String) -> Relationships.Relationship {
        Relationships.Relationship(
            field: field, source: "s", database: "d", collection: collection, isList: false)
    }

    private func schema(_ title: String, _ names: String...) -> DocumentSchema {
        DocumentSchema(
            title: title,
            properties: names.map { DocumentSchema.Property($0, .scalar(.long)) },
            required: ["_id"])
    }

    private func source(_ workspace: Workspace) throws -> DataSource {
        var source = try DataSource(directory: workspace.directory)
        try source.apply(
            [
                .create(
                    DataSource.Collection(
                        database: "d", name: "a", schema: schema("A", "_id", "x", "y", "z"),
                        relationships: Relationships([link("x", "a"), link("y", "a")]))),
                .create(
                    DataSource.Collection(database: "e", name: "old", schema: schema("B", "_id"))),
            ])
        return source
    }

    @Test("missing schemas and types, and links that differ, are findings like all others")
    func everyKind() throws {
        let workspace = Workspace()
        let source = try source(workspace)
        let types = [
            DataSource.ObjectType(
                schema("A", "_id", "x", "y", "z"),
                relationships: Relationships([link("y", "b"), link("z", "a")])),
            DataSource.ObjectType(schema("C", "_id")),
        ]
        let findings = source.findings(for: types)
        #expect(
            findings.map(\.description) == [
                "A.y: links to #/relationship/s/d/b, and by the relationships to "
                    + "#/relationship/s/d/a",
                "A.z: links to #/relationship/s/d/a, which the relationships do not say",
                "A.x: is no link, and by the relationships one to #/relationship/s/d/a",
                "C: no schema has this title", "B: no object type has this name",
            ])
        #expect(findings.map(\.isCompatible) == [false, true, true, true, true])
    }

    @Test("a type's documents are where its title is, and new ones in the database that is given")
    func places() throws {
        let workspace = Workspace()
        let source = try source(workspace)
        let name = workspace.directory.lastPathComponent
        #expect(
            source.place(of: "B", creatingIn: "new")
                == CollectionPlace(source: name, database: "e", collection: "old"))
        #expect(
            source.place(of: "C", creatingIn: "new")
                == CollectionPlace(source: name, database: "new", collection: "C"))
    }

    @Test("a title where an embedded schema has none is a difference that changes nothing")
    func untitled() throws {
        func outer(_ title: String?) -> DocumentSchema {
            let inner = DocumentSchema(
                title: title, properties: [DocumentSchema.Property("a", .scalar(.long))])
            return DocumentSchema(
                title: "T", properties: [DocumentSchema.Property("in", ValueSchema(.object(inner)))]
            )
        }
        let differences = outer("T_in").differences(from: outer(nil))
        #expect(differences.map(\.isAdditive) == [true] && differences.map(\.isReadable) == [true])
        let renamed = outer("Other").differences(from: outer("T_in"))
        #expect(renamed.map(\.isAdditive) == [false] && renamed.map(\.isReadable) == [false])
    }
}
