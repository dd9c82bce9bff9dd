import Foundation
import StudioServer
import Travertine
import TravertineStore

/// The program `travertine-studio`.
@main
enum Entry {
    /// The release of the library that the program is built with.
    static let version = "0.1.0"

    static func main() async {
        do {
            try await run(StudioOptions(CommandLine.arguments.dropFirst()))
        } catch StudioOptions.Wish.help {
            print(StudioOptions.usage)
        } catch StudioOptions.Wish.version {
            print("travertine-studio \(version)")
        } catch let error as StudioOptions.UsageError {
            fail(64, "\(error.message); see travertine-studio --help")
        } catch let error as Realm.Error {
            fail(status(error.code), error.message)
        } catch let error as StudioError {
            fail(69, error.description)
        } catch {
            fail(74, "\(error)")
        }
    }

    private static func run(_ options: StudioOptions) async throws {
        // The name is shown, and files are made beside it: it must not be a dot.
        let directory = URL(fileURLWithPath: options.directory, isDirectory: true)
            .standardizedFileURL
        guard access(directory.appendingPathComponent("manifest").path, F_OK) == 0 else {
            if errno == EACCES {
                fail(77, "\(options.directory): permission denied")
            }
            fail(66, "\(options.directory): there is no realm at this path")
        }
        let server = try await StudioServer(
            directory: directory, key: key(options, directory), port: options.port,
            isWritable: options.isWritable)
        // Written at once, also to a pipe, where `print` would keep it.
        FileHandle.standardOutput.write(Data("\(server.address)\n".utf8))
        let page = options.opensBrowser ? Desktop.open(server.makeSingleUseAddress) : nil
        let signals = endOnSignals {
            page?.remove()
            server.removeTemporaryFiles()
        }
        defer { withExtendedLifetime(signals) {} }
        try await server.run()
    }

    /// The key that was given; from the environment only for a realm that is encrypted.
    private static func key(_ options: StudioOptions, _ directory: URL) throws -> Data? {
        if let path = options.keyFile {
            guard let contents = FileManager.default.contents(atPath: path) else {
                fail(66, "the key file \(path) can't be read")
            }
            guard let bytes = EncryptionKey.bytes(decoding: contents) else {
                fail(65, "the key file \(path) has no key of 64 bytes")
            }
            return Data(bytes)
        }
        let variable = EncryptionKey.environmentVariable
        guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty,
            try Store.isEncrypted(at: directory.path) == true
        else { return nil }
        guard let bytes = EncryptionKey.bytes(decoding: text.utf8) else {
            fail(65, "\(variable) has no key of 64 bytes")
        }
        return Data(bytes)
    }

    /// Ends the program for control-C, and where the terminal is closed or it is asked to end.
    private static func endOnSignals(
        _ cleanUp: @escaping @Sendable () -> Void
    ) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                cleanUp()
                // As a shell says it of a program that a signal has ended.
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    private static func status(_ code: Realm.Error.Code) -> Int32 {
        switch code {
        case .alreadyOpen: 75
        case .fileNotFound, .invalidDatabase: 66
        case .filePermissionDenied, .invalidEncryptionKey: 77
        default: 74
        }
    }

    private static func fail(_ status: Int32, _ message: String) -> Never {
        FileHandle.standardError.write(Data("travertine-studio: \(message)\n".utf8))
        exit(status)
    }
}
