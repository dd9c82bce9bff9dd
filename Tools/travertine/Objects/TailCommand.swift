import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// `travertine tail`: follows the commits of a program as JSON Lines.
struct TailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Follow a database: print the objects that change, as a program commits them.",
        discussion: """
            First all objects are printed, with "change": "initial", unless --from-now is given; \
            then each object that is inserted, modified or deleted, with the names of the \
            properties that differ. A line is a JSON object with the log sequence number of the \
            commit, the type, the key and the object as Extended JSON. Several commits that follow \
            one another quickly may be one difference.

              travertine tail cities.realm --from-now
              travertine tail cities.realm --type City --from-now | jq -r '.object.name'
              travertine tail cities.realm --limit 10 --for 5

            The program that writes need not run yet, and is not disturbed; only what is durable \
            is shown. A user who may not write the store's file `lock` keeps writers out while it \
            runs. Control-C and SIGTERM end it with the status 0, \
            and so do --limit, --for and --once.

            With --feed what was printed is remembered: the next command with the same name goes \
            on after it, and compaction keeps what was not printed, up to a gibibyte or for a \
            week. A new feed begins with a snapshot. A line is {"event": "put", …}, "delete", \
            "snapshot", "difference" or "schema", and "reached" with the position after each \
            transaction, for --after: a program that may be ended before it has read all of its \
            input stores that, because what is in a pipe counts as printed. Of a store without \
            objects keys and values are printed. Of objects each comes once up to “reached”, \
            however often it changed; a deleted one has its "number", and its key if that is an \
            integer.

              travertine tail places.store --feed search --once
              travertine tail cities.realm --feed upload --type City --once
              travertine feeds places.store

            A feed of objects is read with the same types each time: with others it begins with a \
            snapshot again.

            Statuses: 0 ended; 64 wrong arguments; 65 the store is damaged or was replaced; 66 no \
            such store or type; 74 reading or writing failed; 75 the feed is read by another \
            program; 77 permission denied.
            """)

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Option(
        name: [.long, .customLong("types")],
        help: "Only objects of this type, by its stored name; several with commas, or given again.",
        completion: .custom { words, _, prefix in QueryCompletion.types(for: prefix, in: words) })
    var type: [String] = []

    @Flag(help: "Leave out the objects that are there already.")
    var fromNow = false

    @Option(
        name: [.customShort("n"), .long],
        help: "End after so many lines; with --feed, after so many “reached”.")
    var limit: Int?

    @Option(name: .customLong("for"), help: "End after so many seconds.")
    var seconds: Double?

    @Flag(help: "With --feed: end when all that was committed is printed.")
    var once = false

    @Option(help: "Remember under this name what was printed.")
    var feed: String?

    @Option(help: "With --feed: go on after this position.")
    var after: String?

    @Flag(help: "Print JSON Lines, as it does without this, too.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if after != nil, feed == nil { throw ValidationError("--after needs --feed.") }
        if let after, FeedPosition(after) == nil {
            throw ValidationError(
                "--after takes the “position” of a line with \"event\": \"reached\".")
        }
        if once, feed == nil { throw ValidationError("--once needs --feed.") }
        if feed != nil, fromNow {
            throw ValidationError("--from-now is not for --feed, which goes on where it was.")
        }
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if let seconds, !(seconds >= 0 && seconds < 1e9) {
            throw ValidationError("--for takes a number of seconds.")
        }
    }

    /// How long a signal may go unnoticed.
    private static let pause = Duration.milliseconds(200)

    func run() throws {
        let interruption = Interruption(before: "Nothing was followed.")
        // A second one beside the realm, which waits, and first: what is committed before the realm
        // is opened is seen twice rather than not.
        let reader = try StoreReader.open(
            at: directory, options: StoreKey.options(for: directory))
        defer { reader.close() }
        if let feed {
            return try follow(feed, of: reader, interruption)
        }
        let realm = try StoredTypes.realm(directory, forReading: true)
        let follower = try Follower(types: chosen(in: realm), limit: limit ?? .max)
        interruption.begin()
        let deadline = seconds.map { ContinuousClock.now + .seconds($0) }
        func isOver() -> Bool {
            interruption.isRequested || follower.isDone || deadline.map { .now >= $0 } ?? false
        }
        defer { follower.output.flush() }
        var shown = realm.freeze()
        if !fromNow { try follower.printAll(of: shown, until: isOver) }
        follower.output.flush()
        while !isOver() {
            let rest = deadline.map { ContinuousClock.now.duration(to: $0) } ?? Self.pause
            if follower.output.isReaderGone { break }
            guard FileManager.default.fileExists(atPath: directory + "/manifest") else {
                throw CommandError(
                    ExitStatus.noInput,
                    "\(directory) was removed. All that was committed before may not have been "
                        + "printed.")
            }
            guard try reader.waitForCommit(after: reader.lsn, timeout: min(rest, Self.pause))
            else { continue }
            try reader.refresh()
            let changes = try DocumentChanges(from: shown, refreshing: realm, types: follower.types)
            shown = changes.newer
            try follower.print(changes, until: isOver)
            follower.output.flush()
        }
    }

    /// Follows a feed of keys, or of objects where there are some.
    private func follow(
        _ name: String, of reader: StoreReader, _ interruption: Interruption
    ) throws {
        let tail = FeedTail(
            directory, interruption, limit: limit, seconds: seconds, isOnce: once)
        let position = after.flatMap { FeedPosition($0) }
        guard StoredTypes.areThere(in: reader) else {
            if !type.isEmpty {
                throw CommandError(
                    ExitStatus.usage, "\(directory) holds no objects: --type is for these.")
            }
            return try tail.follow(
                FollowedKeys(feed: try reader.feed(named: name)), after: position)
        }
        // What either shows would keep files that compaction retires, as long as this follows.
        reader.close()
        let realm = try StoredTypes.realm(directory, forReading: true)
        let names = try chosen(in: realm).map { $0.sorted() }
        realm.invalidate()
        try tail.follow(
            FollowedObjects(feed: try realm.feed(named: name, typeNames: names)), after: position)
    }

    private func chosen(in realm: Realm) throws -> Set<String>? {
        if type.isEmpty { return nil }
        let names = type.flatMap { $0.split(separator: ",").map(String.init) }
        return Set(try names.map { try ObjectsOfType($0, in: realm).name })
    }
}

/// What `tail` prints.
private final class Follower {
    /// The types that are followed; nil for all.
    let types: Set<String>?
    var output = OutputWriter()
    private var rest: Int

    init(types: Set<String>?, limit: Int) {
        self.types = types
        rest = limit
    }

    /// Whether as many lines were printed as were asked for.
    var isDone: Bool { rest <= 0 }

    /// Thrown to leave a loop over objects.
    private struct End: Error {}

    /// Prints every object.
    func printAll(of realm: Realm, until isOver: () -> Bool) throws {
        let lsn = try DocumentChanges(from: realm, to: realm).lsn
        let names = realm.schema.objectSchema.filter { !$0.isEmbedded && !$0.isAsymmetric }
            .map(\.objectTypeName).sorted()
        do {
            for name in names where types?.contains(name) ?? true {
                let exporter = try DocumentExporter(realm, resultsOf: name)
                try exporter.forEachObject { objectKey, document in
                    if isDone || isOver() { throw End() }
                    let key = exporter.identity(of: document, objectKey)
                    try print(lsn, name, "initial", key, nil, document)
                }
            }
        } catch is End {
            return
        }
    }

    /// Prints what changed.
    func print(_ changes: DocumentChanges, until isOver: () -> Bool) throws {
        do {
            try changes.forEachChange { change in
                if isDone || isOver() { throw End() }
                try print(
                    changes.lsn, change.type, change.kind.rawValue, change.key,
                    change.kind == .modified ? change.properties : nil, change.document)
            }
        } catch is End {
            return
        }
    }

    private func print(
        _ lsn: UInt64, _ type: String, _ change: String, _ key: AnyBSON, _ properties: [String]?,
        _ object: Document
    ) throws {
        var line: Document = [
            "lsn": .int64(Int64(lsn)), "type": .string(type), "change": .string(change), "key": key,
        ]
        if let properties { line["properties"] = .array(properties.map { .string($0) }) }
        line["object"] = .document(object)
        do {
            output.writeLine(try line.extendedJSON())
        } catch {
            throw CommandError(
                ExitStatus.badData,
                "an object of \(type) can't be written as Extended JSON: \(error)".asSentence)
        }
        rest -= 1
    }
}
