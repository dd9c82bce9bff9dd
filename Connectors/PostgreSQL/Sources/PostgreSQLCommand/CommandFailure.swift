import ArgumentParser
import Foundation
import PostgreSQLClient
import PostgreSQLSync
import Travertine
import TravertineStore

/// What a command ends with, and says on standard error.
struct CommandFailure: Error {
    var status: Int32
    var message: String

    /// Prints the message, and ends the process.
    func exit() -> Never {
        // A message of a server may quote a value of any length.
        let isLong = message.utf8.count > Self.messageByteCountMax
        let text = isLong ? message.prefix(Self.messageByteCountMax) + "…" : message[...]
        Self.write("error: \(text)\n")
        Foundation.exit(status)
    }

    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    /// The status and message for an error, by the numbers of `sysexits.h`.
    ///
    /// - Parameter isCopying: whether tables of a realm were to be written.
    init(_ error: any Error, isCopying: Bool = true) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as MappingRefusal:
            self.init(
                status: 65,
                message:
                    "\(error)\nRename the columns or drop the tables by hand, or copy everything "
                    + "again into new tables with --rebuild.")
        case let error as SyncError: self.init(status: 65, message: "\(error)")
        case let error as RowJSON.Failure: self.init(status: 65, message: "\(error)")
        case let error as PostgreSQLError:
            let isRefused = ["28", "42501"].contains {
                error.sqlState?.code.hasPrefix($0) ?? false
            }
            self.init(
                status: isRefused || Self.lacksPassword(error) ? 77 : 69,
                message: isCopying ? Self.copyingFailed(error) : Self.readingFailed(error))
        case let error as Realm.Error:
            let isFeed = error.underlying?.file?.hasSuffix(".feed") ?? false
            let isDenied = isFeed && error.code == .filePermissionDenied
            self.init(
                status: Self.status(error.code),
                message: "\(error)"
                    + (isDenied
                        ? "\nThe place up to which a realm is copied is in a file of its directory: "
                            + "run the command as a user who can write there."
                        : ""))
        case let error as StoreError:
            self.init(status: error.code == .misuse ? 64 : 74, message: "\(error)")
        default: self.init(status: 70, message: "\(error)")
        }
    }

    private static let messageByteCountMax = 4096

    init(status: Int32, message: String) { (self.status, self.message) = (status, message) }

    /// What ended a copy, and what to do.
    private static func copyingFailed(_ error: PostgreSQLError) -> String {
        let next = "and the next command goes on after what was committed."
        switch error {
        case .commitOutcomeUnknown(let cause):
            return "the server failed or was lost while it committed: \(lost(cause)). It has the "
                + "whole transaction or nothing of it, \(next)"
        case .connectionLost, .timedOut, .closed:
            return "the server was lost: \(lost(error)). The open transaction has no effect, "
                + next
        default: return "the server: \(error)" + advice(on: error, isCopying: true)
        }
    }

    /// What ended a query whose rows were printed, and what to do. It has changed nothing, so that
    /// nothing needs to be said of its transaction.
    private static func readingFailed(_ error: PostgreSQLError) -> String {
        switch error {
        case .commitOutcomeUnknown(let cause): return readingFailed(cause)
        case .connectionLost, .timedOut, .closed:
            return "the server was lost before all rows had come: \(lost(error)). Look why, and "
                + "try again."
        default: return "the server: \(error)" + advice(on: error, isCopying: false)
        }
    }

    /// Why a server was lost, without what became of the request.
    private static func lost(_ error: PostgreSQLError) -> String {
        switch error {
        case .connectionLost(let reason, _): reason
        case .timedOut(let step, let limit, _):
            "it sent nothing for \(limit.components.seconds) s, while \(step) was waited for"
        default: "\(error)"
        }
    }

    /// What may help, where the server does not say it.
    private static func advice(on error: PostgreSQLError, isCopying: Bool) -> String {
        if case .connectionFailed = error, error.isRetryable {
            // libpq ends with such a question where nobody listens.
            return ("\(error)".hasSuffix("?") ? "" : ".") + " Look whether the address is right."
        }
        if lacksPassword(error) { return ". Put it into ~/.pgpass or PGPASSWORD." }
        return switch error.sqlState?.code {
        case "42P01" where isCopying, "42703" where isCopying:
            ". The tables were changed: --rebuild makes them anew."
        case "42501" where isCopying:
            ". The role needs USAGE and CREATE on the schema, or CREATE on the database for a new one."
        case "3D000": ". Make it with createdb."
        case "28P01": ". The password comes from ~/.pgpass or PGPASSWORD."
        default: ""
        }
    }

    /// Whether libpq had no password for a server that wants one.
    private static func lacksPassword(_ error: PostgreSQLError) -> Bool {
        guard case .connectionFailed(let message) = error else { return false }
        return message.contains("no password supplied")
    }

    private static func status(_ code: Realm.Error.Code) -> Int32 {
        switch code {
        case .invalidInput: 64
        case .fileNotFound: 66
        case .alreadyOpen: 75
        case .filePermissionDenied, .invalidEncryptionKey: 77
        case .invalidDatabase, .schemaMismatch, .unsupportedFileFormatVersion: 65
        default: 74
        }
    }
}
