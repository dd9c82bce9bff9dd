import Foundation
import ObjectStorage
import StoreShipping
import TravertineStore

/// What a command ends with, and says on standard error.
struct CommandFailure: Error {
    var status: Int32
    var message: String

    init(status: Int32, message: String) { (self.status, self.message) = (status, message) }

    /// The status and message for an error, by the numbers of `sysexits.h`.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ShippingError:
            self.init(status: Self.status(error), message: "\(error)")
        case let error as StorageFailure:
            self.init(status: Self.status(error), message: "the storage: \(error)")
        case let error as StorageConfigurationError:
            self.init(status: Self.status(error), message: "\(error)")
        case let error as StoreError:
            self.init(status: Self.status(error.code), message: "\(error)")
        case is CancellationError where Signals.number != 0:
            self.init(
                status: 128 + Signals.number, message: "interrupted; nothing was left half done.")
        default: self.init(status: 70, message: "\(error)")
        }
    }

    /// Prints the message, and ends the process.
    func exit() -> Never {
        Self.write("error: \(message)\n")
        Foundation.exit(status)
    }

    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Writes for programs. Where nobody reads any more, there is nothing left to do.
    static func writeOutput(_ data: Data) {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            Foundation.exit(74)
        }
    }

    private static func status(_ error: ShippingError) -> Int32 {
        switch error {
        case .held, .takenOver, .clockAhead: 75
        case .noBackup, .noSuchPoint, .missing, .commitNotKept: 66
        case .keyNeeded: 77
        case .manifestDeleted, .otherStore, .otherMachine, .copy, .notABackup, .newerFormat,
            .damaged, .unsound:
            65
        }
    }

    private static func status(_ error: StorageFailure) -> Int32 {
        if case .denied = error { return 77 }
        return 69
    }

    private static func status(_ error: StorageConfigurationError) -> Int32 {
        switch error {
        case .missingCredentials, .profileNotFound, .unusableCredentials: 77
        case .unreadableFile: 66
        default: 64
        }
    }

    private static func status(_ code: StoreError.Code) -> Int32 {
        switch code {
        case .notFound, .notADirectory, .notAStore: 66
        case .damaged, .wrongStore, .newerFormat: 65
        case .locked: 75
        case .permissionDenied, .invalidEncryptionKey: 77
        case .misuse: 64
        default: 74
        }
    }
}
