import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// What is printed about an error, and the status that follows.
struct ErrorReport {
    let text: String
    let status: Int32
    let isHelp: Bool

    init(_ error: any Error, subcommand: String?) {
        // What these commands end with for whatever keeps them from their work.
        let fixed: Int32? =
            switch subcommand {
            case "fsck", "recover": ExitStatus.Fsck.operational
            case "diff": ExitStatus.Diff.trouble
            default: nil
            }
        var isHelp = false
        switch error {
        case let error as CommandError:
            text = "error: \(error.description)"
            status = fixed ?? error.status
        case let error as StoreError:
            text = "error: \(Self.explain(error, subcommand))"
            status = fixed ?? Self.status(of: error)
        case let error as Realm.Error:
            text =
                "error: " + (error.underlying == nil ? error.message : error.description)
                + (error.underlying.map(Self.advice) ?? "")
            let own = error.underlying.map { Self.status(of: $0) } ?? ExitStatus.badData
            status = fixed ?? own
        case let error as DocumentError:
            text = "error: \(error)"
            status = fixed ?? ExitStatus.badData
        default:
            let code = TravertineCommand.exitCode(for: error)
            isHelp = code == .success
            text =
                Self.withOwnPrefix(TravertineCommand.fullMessage(for: error))
                + (code == .validationFailure ? CommandName.adviceOnNegatives() : "")
            // What the command itself decided stays.
            let isOwn = error is ExitCode || code == .success || fixed == nil
            let isUsage = code == .validationFailure && subcommand != "diff"
            status =
                isOwn ? code.rawValue : isUsage ? ExitStatus.Fsck.usage : fixed ?? code.rawValue
        }
        self.isHelp = isHelp
    }

    /// The text of ArgumentParser, with “error:” spelled as everywhere else.
    private static func withOwnPrefix(_ text: String) -> String {
        let prefix = "Error: "
        return text.hasPrefix(prefix) ? "error: " + text.dropFirst(prefix.count) : text
    }

    /// The text as it is shown on standard error.
    var shown: String {
        let prefix = "error:"
        guard text.hasPrefix(prefix) else { return text }
        return Style.errors.red(prefix) + text.dropFirst(prefix.count)
    }

    /// Prints the report and ends the process.
    func exit() -> Never {
        if !text.isEmpty {
            guard isHelp else {
                printToStandardError(shown)
                Foundation.exit(status)
            }
            print(text)
            do {
                try OutputWriter.finishPrinting()
            } catch {
                ErrorReport(error, subcommand: nil).exit()
            }
        }
        Foundation.exit(status)
    }

    /// The error's message and place, with a next step where the store can't know it.
    private static func explain(_ error: StoreError, _ subcommand: String?) -> String {
        var text = error.description
        switch error.code {
        case .notFound, .notADirectory, .notAStore:
            // A backup comes from somewhere else.
            let others = ["verify", "restore", "recover", "inspect"]
            // The directory is, or was meant for, a backup.
            let isOfBackup = ["The directory holds a backup", "The directory holds other files"]
            if isOfBackup.contains(where: { error.message.hasPrefix($0) }) { break }
            if let subcommand, others.contains(subcommand) { break }
            // There is a file of that name.
            if error.message.hasPrefix("This is not a Travertine manifest") { break }
            // It may be the directory above the target that is missing.
            if error.code == .notFound, !error.message.contains("store") { break }
            text += "\nA store is made by `travertine import` or `travertine put`."
        case .damaged where subcommand == "verify" || subcommand == "restore":
            text += """

                Make a new backup of the store. To get back what is intact in this one:
                  travertine recover BACKUP NEW
                """
        case .damaged:
            text += "\nTo see all that is damaged: travertine fsck DIRECTORY"
        case .locked where subcommand == "fsck":
            text += """

                Or verify a backup of it, which can be made while it is open:
                  travertine backup DIRECTORY BACKUP && travertine verify BACKUP
                """
        case .locked:
            text += "\nClose the program that has the store open, then try again."
        case .tooManyOpenFiles:
            text += "\nRaise the limit of open files (ulimit -n), then try again."
        default: text += advice(error)
        }
        return text
    }

    /// What to do about a disk, or a file, that takes no more.
    private static func advice(_ error: StoreError) -> String {
        switch error.code {
        case .diskFull: "\nMake room on the disk, then try again."
        case .io where error.message == String(cString: strerror(EFBIG)):
            "\nRaise the limit of file sizes (ulimit -f), then try again."
        default: ""
        }
    }

    private static func status(of error: StoreError) -> Int32 {
        switch error.code {
        case .notFound, .notADirectory, .notAStore, .noSuchKeyspace, .commitNotKept:
            ExitStatus.noInput
        case .damaged, .wrongStore, .newerFormat, .keyTooLarge, .valueTooLarge: ExitStatus.badData
        case .locked: ExitStatus.tryAgain
        case .permissionDenied, .invalidEncryptionKey: ExitStatus.noPermission
        case .io, .diskFull, .outOfMemory, .tooManyOpenFiles, .outOfNumbers, .commitOutcomeUnknown,
            .poisoned:
            ExitStatus.inputOutput
        case .misuse: ExitStatus.usage
        case .closed, .transactionEnded, .forked, .cancelled: ExitStatus.defect
        }
    }
}
