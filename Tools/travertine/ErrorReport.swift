import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// The statuses that the command ends with; `sysexits.h` gives the numbers, `fsck(8)` its own.
enum ExitStatus {
    /// `get` and `delete`: no such key.
    static let keyNotFound: Int32 = 1
    /// The arguments are wrong (EX_USAGE).
    static let usage: Int32 = 64
    /// The input, or the store, holds something that can't be used (EX_DATAERR).
    static let badData: Int32 = 65
    /// There is no such file or store (EX_NOINPUT).
    static let noInput: Int32 = 66
    /// A defect of the program (EX_SOFTWARE).
    static let defect: Int32 = 70
    /// A system call failed, or the disk is full (EX_IOERR).
    static let inputOutput: Int32 = 74
    /// Somebody else has the store open; trying again later may work (EX_TEMPFAIL).
    static let tryAgain: Int32 = 75
    /// Permission denied (EX_NOPERM).
    static let noPermission: Int32 = 77
    /// What the number of a signal that ended a job is added to: 130 for control-C, 143 for SIGTERM.
    static let signalled: Int32 = 128

    /// The statuses of `fsck`, by the convention of fsck(8).
    enum Fsck {
        static let clean: Int32 = 0
        static let corrected: Int32 = 1
        static let errorsLeft: Int32 = 4
        static let operational: Int32 = 8
        static let usage: Int32 = 16
    }
}

/// An error of the command itself, with what to do next and the status to end with.
struct CommandError: Error, CustomStringConvertible {
    let status: Int32
    let description: String

    init(_ status: Int32, _ description: String) {
        self.status = status
        self.description = description
    }
}

extension String {
    /// The text as a sentence: with one full stop, whether or not it has one.
    var asSentence: String { hasSuffix(".") ? self : self + "." }

    /// The text as a part of a sentence that goes on: without a full stop at its end.
    var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// What is printed about an error of Foundation that a file could not be made or written.
enum FileFailure {
    private static func cause(_ error: any Error) -> NSError {
        var cause = error as NSError
        while let deeper = cause.userInfo[NSUnderlyingErrorKey] as? any Error {
            cause = deeper as NSError
        }
        return cause
    }

    /// The status that the command ends with.
    static func status(_ error: any Error) -> Int32 {
        let cause = cause(error)
        return cause.domain == NSPOSIXErrorDomain && cause.code == Int(EACCES)
            ? ExitStatus.noPermission : ExitStatus.inputOutput
    }

    /// The reason that the system gave, or else what Foundation says.
    static func text(_ error: any Error) -> String {
        let cause = cause(error)
        guard cause.domain == NSPOSIXErrorDomain else {
            let text = error.localizedDescription
            return text.hasSuffix(".") ? String(text.dropLast()) : text
        }
        return String(cString: strerror(Int32(cause.code)))
    }
}

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
        case .io, .diskFull, .outOfMemory, .outOfNumbers, .commitOutcomeUnknown, .poisoned:
            ExitStatus.inputOutput
        case .misuse: ExitStatus.usage
        case .closed, .transactionEnded, .forked: ExitStatus.defect
        }
    }
}
