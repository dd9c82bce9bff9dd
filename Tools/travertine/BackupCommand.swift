import ArgumentParser
import Foundation
import TravertineStore

/// `travertine backup`: copies a store, or what is new in it, to another directory.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make or renew a backup of a store.",
        discussion: """
            The backup is a directory of its own: missing, empty, or with an earlier backup of the \
            same store, of which what did not change stays. Whatever interrupts it, the directory \
            holds no backup, the earlier one, or the new one.

              travertine backup places.store /backups/places
              travertine backup places.store /backups/places --method copy --rate 50
              travertine verify /backups/places
              travertine restore /backups/places places.again

            On one file system files get a second name instead of a copy (--method link): that \
            costs nothing and protects from mistakes, but not from a bad disk.

            The store may be open in a program that writes to it: then the backup holds what is \
            durable, and the program goes on.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Argument(help: "The directory of the backup.", completion: .directory)
    var target: String

    @OptionGroup var carrying: CarryingArguments

    func run() throws {
        let report: BackupReport
        do {
            report = try backUp()
        } catch let error as StoreError where error.code == .locked {
            report = try backUpOpenStore()
        }
        try carrying.show(report, "\(directory) is backed up to \(target)")
    }

    /// Opens the store, which recovers what a crash left.
    private func backUp() throws -> BackupReport {
        var bar = ProgressBar("backup")
        defer { bar.clear() }
        return try StoreArguments.withStore(at: directory, createIfMissing: false) { store in
            try store.backup(to: target, options: carrying.options(method: .link)) { progress in
                bar.update(
                    done: progress.byteCount, total: progress.totalByteCount,
                    detail: Figures.bytes(progress.byteCount))
            }
        }
    }

    /// Goes by what is durable, while another process has the store open.
    private func backUpOpenStore() throws -> BackupReport {
        var bar = ProgressBar("backup")
        defer { bar.clear() }
        let options = carrying.options(method: .link)
        return try StoreBackup.make(of: directory, to: target, options: options) { progress in
            bar.update(
                done: progress.byteCount, total: progress.totalByteCount,
                detail: Figures.bytes(progress.byteCount))
        }
    }
}

/// `travertine restore`: makes a store of a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a store of a backup.",
        discussion: """
            The directory of the store is missing or empty. The store goes its own way from here \
            on: it can't be backed up into the same directory. The backup is verified first, which \
            takes memory for the whole index; a damaged one is refused.

              travertine restore /backups/places places.store

            Statuses: 0 restored; 65 the backup is damaged; 66 there is no complete backup.
            """)

    @Argument(help: "The directory of the backup.", completion: .directory)
    var backup: String

    @Argument(help: "The directory of the new store.", completion: .directory)
    var directory: String

    @OptionGroup var carrying: CarryingArguments

    @Flag(help: "Do not verify the backup first; a damaged one is restored with its damage.")
    var unverified = false

    func run() throws {
        try checkTarget()
        if !unverified { try verify() }
        var bar = ProgressBar("restore")
        defer { bar.clear() }
        let report = try StoreBackup.restore(
            from: backup, to: directory, options: carrying.options(method: .clone)
        ) { progress in
            bar.update(
                done: progress.byteCount, total: progress.totalByteCount,
                detail: Figures.bytes(progress.byteCount))
        }
        bar.clear()
        try carrying.show(report, "\(backup) is restored to \(directory)")
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

/// The options that `backup` and `restore` share.
struct CarryingArguments: ParsableArguments {
    @Option(help: "How files get there: link, clone or copy. (backup: link, restore: clone)")
    var method: BackupOptions.Method?

    @Option(help: "At most so many MiB are copied in a second.")
    var rate: Double?

    @Flag(help: "Print a JSON object with the counts.")
    var json = false

    mutating func validate() throws {
        if let rate, !(rate > 0 && rate < 1e9) {
            throw ValidationError("--rate must be above 0.")
        }
    }

    /// The library's options.
    func options(method otherwise: BackupOptions.Method) -> BackupOptions {
        BackupOptions(
            method: method ?? otherwise, bytesPerSecond: rate.map { max(1, Int($0 * 1_048_576)) })
    }

    /// Prints what was done.
    func show(_ report: BackupReport, _ sentence: String) throws {
        if json { return print(try JSONReport.text(of: report)) }
        let parts = [
            (report.reusedFileCount, "already there"), (report.linkedFileCount, "linked"),
            (report.clonedFileCount, "cloned"), (report.copiedFileCount, "copied"),
        ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
        printToStandardError(
            "\(sentence) as of LSN \(report.lsn): \(Figures.count(report.fileCount, "file")), "
                + "\(Figures.bytes(report.byteCount))"
                + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"))
    }
}

extension BackupOptions.Method: ExpressibleByArgument {}
