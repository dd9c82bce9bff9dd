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
        let isFsck = ["fsck", "recover"].contains(subcommand)
        var isHelp = false
        switch error {
        case let error as CommandError:
            text = "error: \(error.description)"
            status = isFsck ? ExitStatus.Fsck.operational : error.status
        case let error as StoreError:
            text = "error: \(Self.explain(error, subcommand))"
            status = isFsck ? ExitStatus.Fsck.operational : Self.status(of: error)
        case let error as Realm.Error:
            text = "error: \(error.message)"
            let own = error.underlying.map { Self.status(of: $0) } ?? ExitStatus.badData
            status = isFsck ? ExitStatus.Fsck.operational : own
        case let error as DocumentError:
            text = "error: \(error)"
            status = isFsck ? ExitStatus.Fsck.operational : ExitStatus.badData
        default:
            let code = TravertineCommand.exitCode(for: error)
            isHelp = code == .success
            text = Self.withOwnPrefix(TravertineCommand.fullMessage(for: error))
            status = isFsck ? Self.fsckStatus(of: error, code) : code.rawValue
        }
        self.isHelp = isHelp
    }

    /// The text of ArgumentParser, with “error:” spelled as everywhere else.
    private static func withOwnPrefix(_ text: String) -> String {
        let prefix = "Error: "
        return text.hasPrefix(prefix) ? "error: " + text.dropFirst(prefix.count) : text
    }

    /// The status that `fsck` and `recover` end with where something else than the library throws:
    /// ArgumentParser's 1 for any error would say that everything was repaired.
    private static func fsckStatus(of error: any Error, _ code: ExitCode) -> Int32 {
        // What the command itself decided.
        if error is ExitCode || code == .success { return code.rawValue }
        return code == .validationFailure ? ExitStatus.Fsck.usage : ExitStatus.Fsck.operational
    }

    /// Prints the report and ends the process.
    func exit() -> Never {
        if !text.isEmpty {
            let stream = isHelp ? FileHandle.standardOutput : FileHandle.standardError
            stream.write(Data((text + "\n").utf8))
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
        default: break
        }
        return text
    }

    private static func status(of error: StoreError) -> Int32 {
        switch error.code {
        case .notFound, .notADirectory, .notAStore, .noSuchKeyspace: ExitStatus.noInput
        case .damaged, .wrongStore, .newerFormat, .keyTooLarge, .valueTooLarge: ExitStatus.badData
        case .locked: ExitStatus.tryAgain
        case .permissionDenied: ExitStatus.noPermission
        case .io, .diskFull, .outOfMemory, .tooManyOpenFiles, .outOfNumbers, .commitOutcomeUnknown,
            .poisoned:
            ExitStatus.inputOutput
        case .misuse: ExitStatus.usage
        case .closed, .transactionEnded, .forked: ExitStatus.defect
        }
    }
}
