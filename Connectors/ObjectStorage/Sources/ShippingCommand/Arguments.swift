import ArgumentParser
import Foundation
import ObjectStorage
import StoreShipping
import TravertineStore

/// Where the backup is.
struct StorageArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Where the backup is: s3://BUCKET/PREFIX[?endpoint=URL&region=NAME].",
            valueName: "s3://bucket/prefix"))
    var location: String

    @Flag(help: "Allow plain http to another machine: what is stored can be read on the way.")
    var allowInsecure = false

    // Tests have no time to wait for these.
    @Option(help: .hidden)
    var answerLimit = DurationArgument(.seconds(30))

    @Option(help: .hidden)
    var requestLimit: DurationArgument?

    /// Runs `body` with the storage. `progress` shows when it does not answer.
    ///
    /// - Parameter requestLimit: The time that a request has, with all its attempts.
    func withStorage<Result>(
        requestLimit: Duration = .seconds(600), _ progress: ShippingProgress,
        _ body: (ObjectStoreStorage) async throws -> Result
    ) async throws -> Result {
        var options = ObjectStoreOptions()
        options.allowInsecure = allowInsecure
        options.idleTimeout = answerLimit.duration
        options.totalTimeout = self.requestLimit?.duration ?? requestLimit
        let (idle, connecting) = (options.idleTimeout, options.connectTimeout)
        options.attemptFailed = { error in
            switch error {
            case .timedOut(.idle): progress.noteSilence("no answer from", idle)
            case .timedOut(.connecting): progress.noteSilence("no connection to", connecting)
            default: break
            }
        }
        let location = try ObjectLocation(location)
        return try await withObjectStore(location, options: options) { store in
            try await body(
                ObjectStoreStorage(store: store) { progress.noteEnd(of: $0, hasSucceeded: $1) })
        }
    }
}

/// The key of an encrypted store: from a file or the environment, never from the command line,
/// which other users of the machine can see.
struct KeyArguments: ParsableArguments {
    @Option(help: "The file with the store's key. (default: the variable TRAVERTINE_KEY)")
    var keyFile: String?

    /// The key; nil if none is given.
    func key() throws -> EncryptionKey? {
        var contents: [UInt8]
        if let keyFile {
            guard let data = FileManager.default.contents(atPath: keyFile) else {
                throw CommandFailure(
                    status: 66, message: "the key file \(keyFile) can't be read.")
            }
            contents = Array(data)
        } else {
            let variable = EncryptionKey.environmentVariable
            guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
            contents = Array(text.utf8)
        }
        guard let bytes = EncryptionKey.bytes(decoding: contents) else {
            throw CommandFailure(
                status: 65,
                message: (keyFile.map { "the key file \($0)" } ?? "TRAVERTINE_KEY")
                    + " has no key: a key is 64 bytes, or the same as 128 hexadecimal digits or "
                    + "Base64.")
        }
        return try EncryptionKey(bytes)
    }

    /// Whether the key, if there is one, is that of the environment, which need not concern the
    /// store of this command.
    var isFromEnvironment: Bool { keyFile == nil }

    /// The key for a store; nil also if the environment has one and the store is not encrypted.
    func key(for directory: String) throws -> EncryptionKey? {
        if isFromEnvironment, try Store.isEncrypted(at: directory) == false { return nil }
        return try key()
    }
}

/// A time such as `500ms`, `1s`, `5min`, `24h` or `7d`.
struct DurationArgument: ExpressibleByArgument {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000),
        ("d", 86_400_000),
    ]

    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let name = argument.dropFirst(digits.count)
        guard let count = Int64(digits), count < 1 << 31,
            let unit = Self.units.first(where: { $0.name == name })
        else { return nil }
        duration = .milliseconds(count * unit.milliseconds)
    }

    var defaultValueDescription: String {
        let (seconds, rest) = duration.components
        if rest != 0 { return "\(seconds * 1000 + rest / 1_000_000_000_000_000)ms" }
        if seconds > 0, seconds % 86_400 == 0, seconds > 86_400 { return "\(seconds / 86_400)d" }
        if seconds > 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        return "\(seconds)s"
    }
}

/// Which points are kept.
struct RetentionArguments: ParsableArguments {
    @Option(help: "How long all points are kept: a number with ms, s, min, h or d.")
    var keep = DurationArgument(.seconds(24 * 3600))

    @Option(help: "How long the last point of each hour is kept, such as 7d.")
    var keepHourly = DurationArgument(.seconds(7 * 24 * 3600))

    @Option(help: "How long the last point of each day (UTC) is kept, such as 30d.")
    var keepDaily = DurationArgument(.seconds(30 * 24 * 3600))

    var rules: RetentionRules {
        var rules = RetentionRules()
        (rules.all, rules.hourly, rules.daily) =
            (keep.duration, keepHourly.duration, keepDaily.duration)
        return rules
    }

    /// The rules as options.
    var text: String {
        "--keep \(keep.defaultValueDescription) "
            + "--keep-hourly \(keepHourly.defaultValueDescription) "
            + "--keep-daily \(keepDaily.defaultValueDescription)"
    }
}

/// Which point is restored: `LSN`, `HISTORY:LSN` or a time.
struct SelectionArgument: ExpressibleByArgument {
    let selection: PointSelection

    init?(argument: String) {
        let fields = argument.split(separator: ":", omittingEmptySubsequences: false)
        if let lsn = UInt64(argument) {
            selection = .lsn(lsn, history: nil)
        } else if fields.count == 2, let history = UInt64(fields[0]), let lsn = UInt64(fields[1]) {
            selection = .lsn(lsn, history: history)
        } else if let time = UTCText(parsing: argument) {
            selection = .time(milliseconds: time.milliseconds)
        } else {
            return nil
        }
    }
}
