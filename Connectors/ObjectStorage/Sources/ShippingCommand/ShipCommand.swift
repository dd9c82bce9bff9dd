import ArgumentParser
import Foundation
import StoreShipping
import TravertineStore

/// `travertine-ship ship`: puts points of a store, from which it can be restored, while it is
/// written.
struct ShipCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ship",
        abstract: "Keep a backup of a store in S3 while it is written.",
        discussion: """
            Once in a second, if something was committed, what is new of the store is put, and a \
            point from which it can be restored. Whatever is killed, and when, the backup has the \
            newest point or the one before, whole; the next start goes on there. Only one program \
            ships to a prefix at a time.

            The store may be open in a program, which is not held up, or in none. A restored store \
            has all that was durable one second, and the time that a round takes, before the \
            machine was lost.

              travertine ship places.store s3://backups/places
              travertine ship places.store s3://backups/places --every 10s --keep 48h
              travertine ship places.store s3://backups/places --once

            Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile of \
            AWS_PROFILE. Control-C ends it: what was committed until then is put.

            Statuses: 64 wrong arguments; 65 the backup is damaged, or of another store, of another \
            machine, or of a store of which this is a copy; 66 no such store; 69 the storage refuses, \
            or, with --once, can't be reached; 74 reading failed; 75 another program ships there, or \
            has taken over; 77 permission or key; 130 and 143 ended by a signal, with --once.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var store: String

    @OptionGroup var storage: StorageArguments

    @Option(help: "The time between two points, if something was committed: 500ms, 1s or 5min.")
    var every = DurationArgument(.seconds(1))

    @Flag(help: "Put one point, if something was committed since the last one, and end.")
    var once = false

    @Flag(help: "Take the backup from another program that ships there; that one will stop.")
    var takeOver = false

    @Flag(
        help: """
            Go on with this store where the backup has points of another one, or where this is a copy \
            or a restored store on another machine, or beside the one that was shipped. Once: later \
            starts need it not.
            """)
    var new = false

    @Flag(
        help: """
            Put everything again, as a new history: once, after `check` has found damage. Each start \
            with it does.
            """)
    var putAgain = false

    @OptionGroup var retention: RetentionArguments

    @Flag(help: "Remove no points.")
    var keepAll = false

    @OptionGroup var key: KeyArguments

    @Flag(help: "Print a line of JSON for each event.")
    var json = false

    @OptionGroup var output: OutputArguments

    mutating func validate() throws {
        guard every.duration >= .milliseconds(100) else {
            throw ValidationError("--every takes 100ms or more.")
        }
    }

    func run() async {
        do {
            try await ship()
        } catch {
            CommandFailure(error).exit()
        }
    }

    private func options() throws -> ShipperOptions {
        var options = ShipperOptions()
        options.interval = every.duration
        options.takesOver = takeOver
        options.beginsNew = new
        options.putsAgain = putAgain
        options.retention = keepAll ? nil : retention.rules
        options.encryptionKey = try key.key(for: store)
        options.isProcessAlive = { kill($0, 0) == 0 || errno == EPERM }
        return options
    }

    private func ship() async throws {
        let options = try options()
        let progress = ShippingProgress(isJSON: json, isQuiet: output.quiet)
        Signals.notice()
        try await storage.withStorage(requestLimit: .seconds(300), progress) {
            [store, once] storage in
            let shipper = Shipper(of: store, to: storage, options: options) { progress.take($0) }
            if once {
                try await Signals.cancelling {
                    let round = try await shipper.round()
                    // Held without signs of life, it would be taken over while that goes on.
                    try await shipper.end()
                    try await shipper.pruneOnce()
                    if round == nil { progress.say("the backup has the newest commit already") }
                }
            } else {
                progress.say(
                    "shipping \(store), a point at most every \(every.defaultValueDescription)")
                try await Signals.cancelling(after: .seconds(30)) {
                    try await shipper.run(until: { Signals.number != 0 })
                }
            }
        }
        progress.end()
    }
}
