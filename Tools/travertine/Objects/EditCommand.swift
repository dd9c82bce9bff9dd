import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine edit`: changes objects in one transaction.
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Add, change and delete objects, in one transaction.",
        discussion: """
            Each argument is a statement; without any they are read from standard input, one on a \
            line. All of them are done, or none. What changes is printed as `travertine diff` does; \
            with --dry-run nothing is changed.

              travertine edit cities.realm "set City 2267057 population=545796" --dry-run
              travertine edit cities.realm "set City 2267057 name='Lisboa' admin1code=14"
              travertine edit cities.realm 'add City {"geonameid": 1, "name": "New"}'
              travertine edit cities.realm "delete City 2267057" "delete City where population < 1000"
              travertine edit cities.realm --dry-run < changes.txt

            A statement is `add TYPE FIELDS`, `set TYPE KEY FIELDS`, `delete TYPE KEY` or \
            `delete TYPE where CONDITION`. FIELDS are PROPERTY=VALUE with spaces between them, or \
            a document of Extended JSON in braces. A value with spaces is in quotes; nil without \
            quotes is null; a link is the key of its target; collections are arrays: \
            names='["a", "b"]' or, without spaces, names=["a","b"]. Lines that begin with # or -- \
            are left out.

            Deleting an object makes the links to it nil, and deletes the objects embedded in it, \
            as in code.

            Statuses: 0 done, or shown; 1 there is no such object, and nothing was changed; 64 a \
            statement is wrong; 65 a value does not fit, or the store is damaged; 66 no such store \
            or type; 74 reading or writing failed; 75 another process has the store open; 77 \
            permission denied.
            """)

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Argument(help: "What to do: “set TYPE KEY PROPERTY=VALUE”, “add …” or “delete …”.")
    var statements: [String] = []

    @Flag(help: "Print what would change, and change nothing.")
    var dryRun = false

    @Flag(help: "Print a JSON object for each change.")
    var json = false

    @OptionGroup var common: CommonArguments

    /// A statement, and what messages call it.
    private struct Numbered {
        let place: String
        let statement: EditStatement
    }

    func run() throws {
        // All are read before the store is locked.
        let statements = try self.statements.isEmpty ? linesOfInput() : arguments()
        let realm = try StoredTypes.realm(directory)
        var output = OutputWriter()
        defer { output.flush() }
        let text = ObjectText(realm)
        var counts: [ObjectDifference.Kind: Int] = [:]
        var lines: [String] = []
        realm.beginWrite()
        do {
            let edit = ObjectEdit(realm: realm) { difference in
                counts[difference.kind, default: 0] += 1
                let schema = realm.schema.objectSchema.first {
                    $0.objectTypeName == difference.type
                }
                lines +=
                    json
                    ? [try difference.json()] : difference.lines(text, schema, .output)
            }
            for numbered in statements { try Self.run(numbered, edit, statements.count) }
            if dryRun { realm.cancelWrite() } else { try realm.commitWrite() }
        } catch {
            if realm.isInWriteTransaction { realm.cancelWrite() }
            // A commit whose sync failed may be there all the same, as the error explains.
            let isUnknown =
                (error as? Realm.Error)?.underlying?.code == .commitOutcomeUnknown
            if !dryRun, !isUnknown { printNote("Nothing was changed.") }
            throw error
        }
        // What is printed is done.
        for line in lines { output.writeLine(line) }
        printNote(Self.summary(counts) + (dryRun ? "; nothing was changed (--dry-run)" : ""))
    }

    private static func run(_ numbered: Numbered, _ edit: ObjectEdit, _ count: Int) throws {
        do {
            try edit.run(numbered.statement)
        } catch let error as CommandError where count > 1 {
            throw CommandError(error.status, "\(numbered.place): \(error.description)")
        } catch let error as Realm.Error
            where error.underlying == nil && (error.code == .invalidInput || count > 1)
        {
            let place = count > 1 ? numbered.place + ": " : ""
            throw CommandError(ExitStatus.badData, place + error.message)
        }
    }

    private static func summary(_ counts: [ObjectDifference.Kind: Int]) -> String {
        let words: [(ObjectDifference.Kind, String)] = [
            (.inserted, "added"), (.modified, "changed"), (.deleted, "deleted"),
        ]
        let parts = words.compactMap { kind, word in
            counts[kind].map { "\(Figures.count($0)) \(word)" }
        }
        return parts.isEmpty ? "no change" : parts.joined(separator: ", ")
    }

    // MARK: Statements

    private func arguments() throws -> [Numbered] {
        if statements.count > 1, ["add", "set", "delete"].contains(statements[0].lowercased()) {
            throw CommandError(
                ExitStatus.usage,
                "each statement is one argument, in quotes: travertine edit \(directory) "
                    + "\"\(statements.joined(separator: " "))\"")
        }
        return try numberedArguments()
    }

    private func numberedArguments() throws -> [Numbered] {
        try statements.enumerated().map { index, text in
            try Self.numbered(text, "statement \(index + 1)", isOnly: statements.count == 1)
        }
    }

    private func linesOfInput() throws -> [Numbered] {
        if Terminal.isInput {
            throw CommandError(
                ExitStatus.usage,
                "say what to do: travertine edit \(directory) \"set TYPE KEY PROPERTY=VALUE\"")
        }
        var found: [Numbered] = []
        var number = 0
        var reader = LineReader(try InputSource(path: "-"))
        while let line = try reader.next() {
            number += 1
            guard let line = String(validating: line, as: UTF8.self) else {
                throw CommandError(ExitStatus.badData, "line \(number) is not UTF-8.")
            }
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.isEmpty || text.hasPrefix("#") || text.hasPrefix("--") { continue }
            found.append(try Self.numbered(text, "line \(number)", isOnly: false))
        }
        guard !found.isEmpty else {
            throw CommandError(ExitStatus.usage, "standard input has no statement.")
        }
        return found
    }

    private static func numbered(_ text: String, _ place: String, isOnly: Bool) throws -> Numbered {
        do {
            return Numbered(place: place, statement: try EditStatement(text))
        } catch let error as CommandError where !isOnly {
            throw CommandError(error.status, "\(place): \(error.description)")
        }
    }
}
