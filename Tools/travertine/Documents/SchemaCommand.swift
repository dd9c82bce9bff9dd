import ArgumentParser

/// `travertine schema`: the JSON Schemas of a database, or of sample documents.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Write, compare and infer the JSON Schemas of object types.",
        discussion: """
            The schemas are those of MongoDB App Services. A data source is a directory of \
            DATABASE/COLLECTION/schema.json, with relationships.json beside.

              travertine schema pets.realm --json-schema            print the schemas
              travertine schema pets.realm --check schemas          list all differences
              travertine schema pets.realm --diff newer.realm       what opening would change
              travertine schema dev pets.realm --source schemas --database Pets
              travertine schema --sample dogs.jsonl                 infer a schema
              travertine schema --sample cities.jsonl --key geonameid

            `travertine schema print --help` and `travertine schema dev --help` say more.
            """,
        subcommands: [SchemaPrintCommand.self, SchemaDevCommand.self],
        defaultSubcommand: SchemaPrintCommand.self)
}
