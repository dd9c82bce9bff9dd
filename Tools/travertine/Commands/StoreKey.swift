import Foundation
import Synchronization
import TravertineStore

/// The key of the store that a command works with.
///
/// It comes from a file or from the environment, and never from the command line, which other users
/// of the machine can see.
enum StoreKey {
    private static let file = Mutex<String?>(nil)

    /// Says which file has the key.
    static func use(file path: String) { file.withLock { $0 = path } }

    /// The key for a store; nil if none is given, or the environment has one and the store is
    /// there and not encrypted.
    static func key(for directory: String) throws -> EncryptionKey? {
        try bytes(for: directory).map { try EncryptionKey($0) }
    }

    /// The same, as a realm's configuration takes it.
    static func data(for directory: String) throws -> Data? {
        try bytes(for: directory).map { Data($0) }
    }

    /// Options with the key for a store.
    static func options(for directory: String) throws -> StoreOptions {
        var options = StoreOptions()
        options.encryptionKey = try key(for: directory)
        return options
    }

    /// The bytes of a key in a file.
    static func bytes(inFile path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(ExitStatus.noInput, "the key file \(path) can't be read.")
        }
        guard let bytes = EncryptionKey.bytes(decoding: data) else {
            throw CommandError(
                ExitStatus.badData,
                "the key file \(path) has no key: 64 bytes, or the same as 128 hexadecimal digits or "
                    + "Base64. Make one with: head -c 64 /dev/urandom > \(path)")
        }
        return bytes
    }

    private static func bytes(for directory: String) throws -> [UInt8]? {
        if let path = file.withLock({ $0 }) { return try bytes(inFile: path) }
        guard
            let text = ProcessInfo.processInfo.environment[
                EncryptionKey.environmentVariable], !text.isEmpty
        else {
            return nil
        }
        if try Store.isEncrypted(at: directory) == false { return nil }
        guard let bytes = EncryptionKey.bytes(decoding: text.utf8) else {
            throw CommandError(
                ExitStatus.badData,
                "\(EncryptionKey.environmentVariable) has no key: 64 bytes as 128 hexadecimal digits or Base64."
            )
        }
        return bytes
    }
}
