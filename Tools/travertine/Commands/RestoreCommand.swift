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

            What `travertine ship` put into S3 is restored by the program travertine-ship; --at names \
            an earlier point or commit there.

            Statuses: 0 restored; 64 wrong arguments, or the directory is not empty; 65 the backup \
            is damaged; 66 there is no complete backup; 74 reading or writing failed; 77 permission \
            denied.
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

    mutating func validate() throws {
        if at != nil, !isInStorage { throw ValidationError("--at is for backups in S3.") }
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
        if let file = carrying.common.key.keyFile { arguments += ["--key-file", file] }
        try ShipCommand.program.replaceProcess(with: arguments)
    }

    /// Refuses a directory that is not empty before a large backup is verified.
    private func checkTarget() throws {
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
