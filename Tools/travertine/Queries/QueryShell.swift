import Foundation
import Travertine

/// What a shell does with each query and each of its commands, and what these have set.
struct QueryShell {
    private let realm: Realm
    private var format: ResultFormat
    private var explains = false
    /// Whether `.quit` was read.
    private(set) var isDone = false

    init(_ realm: Realm, format: ResultFormat) {
        self.realm = realm
        self.format = format
    }

    private static let help = """
        TYPE [WHERE CONDITION] [SORT(…)] [DISTINCT(…)] [LIMIT(…)]   print objects
        .types              the types, and how many objects they have
        .schema TYPE        the properties of a type
        .count QUERY        how many objects a query finds
        .explain on|off     print before objects how they are found
        .mode table|tab|json|csv
        .help
        .quit
        """

    private static let commands = [
        ".types", ".schema", ".count", ".explain", ".mode", ".help", ".quit", ".exit",
    ]

    /// Runs a query or a command.
    mutating func run(_ statement: String) throws {
        realm.refresh()
        if statement.hasPrefix(".") { return try runCommand(statement) }
        var output = OutputWriter()
        let query = try StoredQuery(statement, in: realm)
        if explains { output.writeLine(try query.plan(running: false)) }
        try query.print(as: format, to: &output)
    }

    private mutating func runCommand(_ statement: String) throws {
        let end = statement.firstIndex(where: \.isWhitespace) ?? statement.endIndex
        let name = String(statement[..<end])
        let argument = statement[end...].trimmingCharacters(in: .whitespacesAndNewlines)
        var output = OutputWriter()
        defer { output.flush() }
        switch name {
        case ".types": try printTypes(to: &output)
        case ".schema": try printSchema(of: argument, to: &output)
        case ".count":
            output.writeLine(String(try StoredQuery(argument, in: realm).count()))
        case ".explain":
            guard ["on", "off"].contains(argument) else {
                throw Self.usage(".explain takes on or off.")
            }
            explains = argument == "on"
        case ".mode":
            guard let format = ResultFormat(rawValue: argument) else {
                throw Self.usage(".mode takes table, tab, json or csv.")
            }
            self.format = format
        case ".help": output.writeLine(Self.help)
        case ".quit", ".exit": isDone = true
        default:
            throw Self.usage("\(name) is no command of the shell. There are: \(Self.names).")
        }
    }

    private static var names: String { commands.joined(separator: ", ") }

    private static func usage(_ message: String) -> CommandError {
        CommandError(ExitStatus.usage, message)
    }

    private func printTypes(to output: inout OutputWriter) throws {
        for type in realm.schema.objectSchema.sorted(by: { $0.objectTypeName < $1.objectTypeName })
        {
            let name = QueryText.written(type: type.objectTypeName)
            if type.isAsymmetric {
                output.writeLine("\(name)\tasymmetric")
            } else {
                let count = try StoredQuery(name, in: realm).count()
                output.writeLine("\(name)\t\(count)" + (type.isEmbedded ? "\tembedded" : ""))
            }
        }
    }

    private func printSchema(of name: String, to output: inout OutputWriter) throws {
        guard !name.isEmpty else { throw Self.usage(".schema takes the name of a type.") }
        let query = try QueryText(name)
        guard let type = realm.schema.objectSchema.first(where: { $0.objectTypeName == query.type })
        else {
            // Says which names are near.
            _ = try StoredQuery(name, in: realm)
            return
        }
        for property in type.properties {
            let marks = [
                property.isPrimaryKey ? "primary key" : property.isIndexed ? "indexed" : nil
            ].compactMap { $0 }
            let fields = [property.columnName, Self.text(of: property)] + marks
            output.writeLine(fields.joined(separator: "\t"))
        }
    }

    /// The type of a property: `string?`, `list<Dog>`.
    private static func text(of property: Property) -> String {
        let single =
            property.type == .object
            ? property.objectClassName ?? "object" : property.type.description
        let isCollection = property.isArray || property.isSet || property.isMap
        // A link is optional anyway, and in lists and sets never.
        let element = single + (property.isOptional && property.type != .object ? "?" : "")
        guard isCollection, property.type != .linkingObjects else { return element }
        return (property.isArray ? "list" : property.isSet ? "set" : "map") + "<\(element)>"
    }

    // MARK: Lines

    /// The queries and commands of a line: what `;` separates outside quotes.
    static func statements(_ line: String) -> [String] {
        let trimmed = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if trimmed.hasPrefix("#") || trimmed.hasPrefix("--") { return [] }
        var statements: [String] = []
        var statement = ""
        var quote: Character?
        var isEscaped = false
        for character in trimmed {
            if character == ";", quote == nil {
                statements.append(statement)
                statement = ""
                continue
            }
            statement.append(character)
            if isEscaped {
                isEscaped = false
            } else if quote != nil, character == "\\" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            }
        }
        return (statements + [statement])
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
    }

    /// Continuations of a word that is typed, after commands too.
    static func completions(
        after before: String, _ word: String, _ completion: QueryCompletion
    ) -> [String] {
        if before.isEmpty, word.hasPrefix(".") { return commands.filter { $0.hasPrefix(word) } }
        let command = [".schema ", ".count "].first { before.hasPrefix($0) }
        let query = command.map { String(before.dropFirst($0.count)) } ?? before
        return completion.words(after: query, word)
    }
}
