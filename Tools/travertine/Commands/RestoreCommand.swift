import ArgumentParser
import Foundation
import TravertineStore

/// `travertine restore`: makes a store of a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a store of a backup.",
        discussion: """
            The directory of the store is missing or empty. The store is a separate one from here \
            on: it can't be backed up into the same directory. The backup is verified first, which \
            takes memory for the whole index; a damaged one is refused.

              travertine restore /backups/places again.store
              travertine restore s3://backups/places again.store

            What `travertine ship` put into S3 is restored by the program travertine-ship; --at and \
            --point name an earlier point or commit there. --method, --rate and --unverified are not \
            for these.

            Statuses: 0 restored; 64 wrong arguments, or something is at the path; 65 the backup is \
            damaged; 66 there is no complete backup; 74 reading or writing failed; 77 permission \
            denied. From S3 also 69 the storage refuses, or can't be reached; 75 another restore \
            builds there; 130 and 143 ended by a signal.
            """)

    @Argument(
        help: "The directory of the backup, or s3://… for one of `travertine ship`.",
        completion: .directory)
    var backup: String

    @Argument(help: "The directory of the new store.", completion: .directory)
    var directory: String

    @OptionGroup var carrying: CarryingArguments

    @Flag(help: "Do not verify the backup first; a damaged one is restored with its damage.")
    var unverified = false

    @Option(help: "From S3: the newest point not after a time of UTC, or commit not after an LSN.")
    var at: String?

    @Option(help: "From S3: the number of a point, as `travertine ship points` lists them.")
    var point: UInt64?

    @Flag(help: "From S3: allow plain http to another machine, where others can read all of it.")
    var allowInsecure = false

    mutating func validate() throws {
        if isInStorage {
            if carrying.method != nil || carrying.rate != nil || unverified {
                throw ValidationError(
                    "--method, --rate and --unverified are not for backups in S3.")
            }
            if at != nil, point != nil {
                throw ValidationError("--at and --point exclude each other.")
            }
        } else if at != nil || point != nil || allowInsecure {
            throw ValidationError("--at, --point and --allow-insecure are for backups in S3.")
        }
    }

    private var isInStorage: Bool { backup.hasPrefix("s3://") }

    func run() throws {
        if isInStorage { try restoreFromStorage() }
        try checkTarget()
        if !unverified { try verify() }
        var bar = ProgressBar("restore")
        defer { bar.clear() }
        let report = try StoreBackup.restore(
            from: backup, to: directory,
            options: carrying.options(method: .clone, keyOf: backup)
        ) { bar.update($0) }
        bar.clear()
        try carrying.show(report, "\(backup) is restored to \(directory)")
    }

    private func restoreFromStorage() throws -> Never {
        var arguments = ["restore", backup, directory]
        if let at { arguments += ["--at", at] }
        if let point { arguments += ["--point", "\(point)"] }
        if allowInsecure { arguments.append("--allow-insecure") }
        if let file = carrying.common.key.keyFile { arguments += ["--key-file", file] }
        if carrying.json { arguments.append("--json") }
        if carrying.common.quiet { arguments.append("--quiet") }
        try ShipCommand.program.replaceProcess(with: arguments)
    }

    /// Refuses a directory that is not empty, or another file, before a large backup is verified.
    private func checkTarget() throws {
        var isDirectory: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory)
        if isThere, !isDirectory.boolValue {
            throw CommandError(
                ExitStatus.usage,
                "\(directory) is there already, and no directory. Choose another path.")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        guard !names.isEmpty else { return }
        throw CommandError(
            ExitStatus.usage, "the directory \(directory) is not empty. Choose another path.")
    }

    /// Refuses a damaged backup, before anything is written.
    private func verify() throws {
        let report = try VerifyCommand.verify(backup)
        guard let first = report.findings.first(where: { $0.severity == .error }) else { return }
        let place = first.file.map { " (\($0))" } ?? ""
        throw CommandError(
            ExitStatus.badData,
            """
            the backup is damaged: \(first.message)\(place)
            All that is found: travertine verify \(backup)
            To get back what is intact: travertine recover \(backup) NEW
            To restore it with its damage, if no file is missing:
              travertine restore --unverified \(backup) \(directory)
            """)
    }
}
