import Foundation
import Synchronization
import TravertineStore

/// The key of the store that a command works with.
///
/// It comes from a file or from the environment, and never from the command line, which other users
/// of the machine can see.
enum StoreKey {
    private static let file = Mutex<String?>(nil)
    /// The keys of the files that were read.
    private static let known = Mutex<[String: [UInt8]]>([:])
    /// No key is as long, in any form.
    private static let readByteCountMax = 4096
    private static let hasNotedLeftOver = Mutex(false)

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

    /// Reports once that a change of the key was interrupted, whose files may not be encrypted.
    private static func noteLeftOver(of directory: String) {
        let store = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
        let names = [".rekeyed", ".rekeyed.copying"].map { store + $0 }
        guard let name = names.first(where: { FileManager.default.fileExists(atPath: $0) }),
            hasNotedLeftOver.withLock({ noted in
                defer { noted = true }
                return !noted
            })
        else { return }
        printNote(
            "note: \(name) holds files of a change of the key, which was interrupted or is running "
                + "now. The store at \(store) is whole. If no rekey is running, remove \(name).")
    }

    /// The bytes of a key in a file.
    static func bytes(inFile path: String) throws -> [UInt8] {
        // A key that is given by mistake does not get into a log.
        if path.utf8.count > EncryptionKey.byteCount,
            EncryptionKey.bytes(decoding: path.utf8) != nil,
            !FileManager.default.fileExists(atPath: path)
        {
            throw CommandError(
                ExitStatus.usage, "a key was given in place of the name of the file that has it.")
        }
        // A pipe is read once.
        if let bytes = known.withLock({ $0[path] }) { return bytes }
        let data = try contents(ofFile: path)
        guard let bytes = EncryptionKey.bytes(decoding: data) else {
            throw CommandError(
                ExitStatus.badData,
                "the key file \(path) has \(data.count)\(data.count == readByteCountMax ? " or more" : "") "
                    + "bytes, which are no key: a key is 64 bytes, "
                    + "or the same as 128 hexadecimal digits or Base64, and nothing else.")
        }
        known.withLock { $0[path] = bytes }
        return bytes
    }

    /// The contents of a file, or of a pipe; no more than a key can have in any form.
    private static func contents(ofFile path: String) throws -> [UInt8] {
        func failure() -> CommandError {
            let code = errno
            let reason = String(cString: strerror(code))
            return CommandError(
                code == EACCES ? ExitStatus.noPermission : ExitStatus.noInput,
                "the key file \(path) can't be read: \(reason)")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: readByteCountMax)
        var count = 0
        while count < bytes.count {
            let done = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.unsafelyUnwrapped + count, $0.count - count)
            }
            if done < 0, errno == EINTR { continue }
            if done < 0 { throw failure() }
            if done == 0 { break }
            count += done
        }
        return Array(bytes[..<count])
    }

    private static func bytes(for directory: String) throws -> [UInt8]? {
        noteLeftOver(of: directory)
        if let path = file.withLock({ $0 }) { return try bytes(inFile: path) }
        guard
            let text = ProcessInfo.processInfo.environment[
                EncryptionKey.environmentVariable]
        else { return nil }
        // A program that could not find its key gives none by this: that must not mean no key.
        if !text.isEmpty, try Store.isEncrypted(at: directory) == false { return nil }
        guard let bytes = EncryptionKey.bytes(decoding: text.utf8) else {
            throw CommandError(
                ExitStatus.badData,
                (text.isEmpty
                    ? "\(EncryptionKey.environmentVariable) is set and empty. "
                    : "\(EncryptionKey.environmentVariable) has no key. ")
                    + "It takes 64 bytes as 128 hexadecimal digits or Base64; a file with the key is "
                    + "named by --key-file. Without a key, unset it.")
        }
        return bytes
    }
}
