import ArgumentParser
import Foundation
import Travertine
import TravertineStore

/// The realm that a command reads.
struct RealmArguments: ParsableArguments {
    @Argument(help: "The directory of the realm.", completion: .directory)
    var directory: String

    @Option(
        help: """
            The key of an encrypted realm: a file with 64 bytes, or the same as 128 hexadecimal digits \
            or Base64. Without it TRAVERTINE_KEY has the key, if there is one.
            """, completion: .file())
    var keyFile: String?

    /// Opens the realm for reading: nothing in it is changed but the file of the feed, and it may
    /// be open in a program.
    func open() throws -> Realm {
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("manifest").path)
        else { throw CommandFailure(status: 66, message: "\(directory): no such realm.") }
        var configuration = Realm.Configuration(fileURL: url, readOnly: true, objectTypes: [])
        configuration.encryptionKey = try key(url)
        return try Realm(configuration: configuration)
    }

    private func key(_ url: URL) throws -> Data? {
        if let keyFile {
            guard let contents = FileManager.default.contents(atPath: keyFile) else {
                throw CommandFailure(status: 66, message: "the key file \(keyFile) can't be read")
            }
            guard let bytes = EncryptionKey.bytes(decoding: contents) else {
                throw CommandFailure(
                    status: 65, message: "the key file \(keyFile) has no key of 64 bytes")
            }
            return Data(bytes)
        }
        let variable = EncryptionKey.environmentVariable
        guard try Store.isEncrypted(at: url.path) == true,
            let text = ProcessInfo.processInfo.environment[variable]
        else { return nil }
        guard let bytes = EncryptionKey.bytes(decoding: text.utf8) else {
            throw CommandFailure(status: 65, message: "\(variable) has no key of 64 bytes")
        }
        return Data(bytes)
    }
}
