import ArgumentParser
import Foundation
import StoreMaintenance
import TravertineStore

/// `travertine backup`: copies a store, or what is new in it, to another directory.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make or renew a backup of a store.",
        discussion: """
            The backup is a separate directory: missing, empty, or with an earlier backup of the \
            same store, of which what did not change stays. Whatever interrupts it, the directory \
            holds no backup, the earlier one, or the new one.

              travertine backup places.store /backups/places
              travertine backup places.store /backups/places --method copy --rate 50
              travertine verify /backups/places
              travertine restore /backups/places places.again

            Files are taken as they are, without reading all of them: what is damaged in the store \
            is damaged in the backup. --verify reads the backup afterwards, as `travertine verify` \
            does.

            On one file system files get a second name instead of a copy (--method link): that \
            costs nothing and protects from mistakes, but not from a bad disk.

            The store may be open in a program that writes to it: then the backup holds what is \
            durable, and the program is not disturbed.

            Statuses: 0 done; 64 wrong arguments; 65 the store is damaged, the backup is one of \
            another store, or --verify found damage; 66 no such store, or the directory holds \
            something else; 74 reading or writing failed; 75 another backup is written to the \
            directory; 77 permission denied.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Argument(help: "The directory of the backup.", completion: .directory)
    var target: String

    @OptionGroup var carrying: CarryingArguments

    @Flag(help: "Verify the backup afterwards, every byte of it.")
    var verify = false

    func run() throws {
        let report: BackupReport
        do {
            report = try reportingState(backUp)
        } catch let error as StoreError where error.code == .locked {
            report = try reportingState(backUpOpenStore)
        }
        let sentence = "\(directory) is backed up to \(target)"
        if !verify { return try carrying.show(report, sentence) }
        // What was made is reported also where it can't be verified.
        if !carrying.json { try carrying.show(report, sentence) }
        let verification: VerificationReport
        do {
            verification = try VerifyCommand.verify(target)
        } catch {
            if carrying.json { try carrying.show(report, sentence) }
            if let error = error as? StoreError, error.code == .damaged {
                throw damaged(error.description)
            }
            throw error
        }
        if carrying.json { try carrying.show(report, sentence, verification) }
        guard let first = verification.findings.first(where: { $0.severity == .error }) else {
            return printNote("\(target) is sound")
        }
        throw damaged(first.message + (first.file.map { " (\($0))" } ?? ""))
    }

    /// The error of a backup that was made and is damaged.
    private func damaged(_ damage: String) -> CommandError {
        CommandError(
            ExitStatus.badData,
            """
            the backup was made, and is damaged: \(damage)
            All that is found: travertine verify \(target)
            Whether the store is damaged: travertine fsck \(directory)
            """)
    }

    /// Runs a backup, and reports what is in the directory if it could not be ended.
    private func reportingState(_ body: () throws -> BackupReport) throws -> BackupReport {
        do {
            return try body()
        } catch let error as StoreError
            where [.io, .diskFull, .outOfMemory, .tooManyOpenFiles].contains(error.code)
        {
            func isThere(_ name: String) -> Bool {
                FileManager.default.fileExists(atPath: target + "/" + name)
            }
            if isThere("backup") {
                printToStandardError("The earlier backup in \(target) is as it was.")
            } else if isThere("backup.unfinished") {
                printToStandardError(
                    "\(target) holds no backup yet. Once the cause below is gone, run the command "
                        + "again, which goes on with what is there, or remove the directory.")
            }
            throw error
        }
    }

    /// Opens the store, which recovers what a crash left.
    private func backUp() throws -> BackupReport {
        var bar = ProgressBar("backup")
        defer { bar.clear() }
        return try StoreArguments.withStore(at: directory, createIfMissing: false) { store in
            let options = try carrying.options(method: .link, keyOf: directory)
            return try store.backup(to: target, options: options) { bar.update($0) }
        }
    }

    /// Backs up what is durable, while another process has the store open.
    private func backUpOpenStore() throws -> BackupReport {
        var bar = ProgressBar("backup")
        defer { bar.clear() }
        let options = try carrying.options(method: .link, keyOf: directory)
        return try StoreBackup.make(of: directory, to: target, options: options) { bar.update($0) }
    }
}
