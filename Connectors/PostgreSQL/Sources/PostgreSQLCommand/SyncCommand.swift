import ArgumentParser
import Foundation
import PostgreSQLClient
import PostgreSQLSync
import Travertine

/// `travertine sync`: copies a realm to a server, and what changes in it.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Copy the objects of a realm to PostgreSQL, and what changes in them.",
        discussion: """
            Types become tables and properties columns. The first time everything is copied, then \
            what has changed since, each time in one transaction of the server: whatever is killed, \
            and when, every change is in the tables once. The realm may be open in a program.

            The server is any that speaks PostgreSQL's protocol. What is not in the address comes \
            from the variables and files of libpq: put the password into ~/.pgpass or PGPASSWORD, \
            since all users of a machine can see arguments.

              travertine sync places.realm --to postgres://db.example/places --once
              travertine sync places.realm --to postgres://db.example/places --types Place,Visit

            Statuses: 64 wrong arguments; 65 the tables don't fit the types or belong to others, or \
            a value can't be stored; 66 no such realm; 69 the server refuses; 74 reading failed; 75 \
            another command copies this feed; 77 permission denied, here or by the server, or no \
            password; 130 and 143 ended by a signal, with --once.
            """)

    @OptionGroup var realm: RealmArguments

    @Option(
        help:
            "Where to: postgres://[USER@]HOST[:PORT]/DATABASE[?OPTION=VALUE&…], or libpq's \"host=… dbname=…\"."
    )
    var to: String

    @Option(help: "The types that are copied, with commas between them. (default: all)")
    var types: String?

    @Flag(help: "End when the tables have everything.")
    var once = false

    @Flag(help: "Go on with what changes, until a signal comes. (default)")
    var follow = false

    @Option(help: "The name of the feed: one for each server that the realm is copied to.")
    var feed = "postgres"

    @Option(help: "The schema of the database for the tables; made if it is not there.")
    var schema = "public"

    @Option(
        help: "A name for this realm, in tables that several realms share: their column _source.")
    var source: String?

    @Option(help: "Where elements of lists and sets go: tables, arrays or jsonb.")
    var collections = MappingOptions.Collections.tables

    @Option(help: "Where an embedded object goes: columns or jsonb.")
    var embedded = MappingOptions.Embedded.columns

    @Option(help: "What an ObjectId is: text or bytea.")
    var objectIds = MappingOptions.ObjectIds.text

    @Flag(help: "Store U+FFFD for the character U+0000, which PostgreSQL can't store.")
    var replaceNul = false

    @Option(
        help: """
            Commit the first load after so many objects, for servers that limit transactions. \
            (default: once, at its end)
            """)
    var commitEvery: Int?

    @Flag(help: "Drop the tables of this feed, and copy everything again.")
    var rebuild = false

    @Flag(help: "Print a line of JSON for each transaction.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print no summary and no progress, only warnings and errors.")
    var quiet = false

    mutating func validate() throws {
        if once, follow { throw ValidationError("--once and --follow exclude each other.") }
        if let commitEvery, commitEvery < 1 {
            throw ValidationError("--commit-every takes a number from 1 on.")
        }
        if schema.isEmpty || to.isEmpty {
            throw ValidationError("--to and --schema take texts that are not empty.")
        }
        if source == "" { throw ValidationError("--source takes a name.") }
        if let types, types.split(separator: ",").isEmpty {
            throw ValidationError("--types takes names of types.")
        }
    }

    func run() {
        do {
            try copy()
        } catch {
            CommandFailure(error).exit()
        }
    }

    private var options: SyncOptions {
        var options = SyncOptions()
        options.mapping.schema = schema
        options.mapping.source = source
        options.mapping.collections = collections
        options.mapping.embedded = embedded
        options.mapping.objectIds = objectIds
        options.replacesNUL = replaceNul
        options.rebuilds = rebuild
        options.loadCommitCount = commitEvery
        // A person waits for the end.
        if once { options.retries.limit = .time(.seconds(60)) }
        return options
    }

    private func copy() throws {
        let parameters = try ConnectionParameters(server: to, option: "--to")
        let progress = SyncProgress(isJSON: json, isQuiet: quiet)
        let names = types.map {
            $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let realm = try self.realm.open()
        Signals.notice()
        let synchronizer = Synchronizer(
            realm, feedName: feed, types: names, to: parameters, options,
            isCancelled: { Signals.number != 0 }, report: { progress.take($0) })
        let summary = try synchronizer.run(follows: !once)
        progress.end(summary)
        if once, Signals.number != 0 {
            throw CommandFailure(
                status: 128 + Signals.number,
                message: "interrupted; what was committed stays, and the next command goes on.")
        }
    }
}

extension MappingOptions.Collections: ExpressibleByArgument {}
extension MappingOptions.Embedded: ExpressibleByArgument {}
extension MappingOptions.ObjectIds: ExpressibleByArgument {}
