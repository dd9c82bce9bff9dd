import StoreMaintenance
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of realms.
extension Realm {
    /// Whether the realm of a configuration is on the disk.
    public static func fileExists(for configuration: Configuration) -> Bool {
        FileManager.default.fileExists(
            atPath: configuration.directory.appendingPathComponent("manifest").path)
    }

    /// Makes the stored schema that of a configuration, by opening the realm once.
    ///
    /// - Throws: What opening throws.
    public static func performMigration(
        for configuration: Configuration = .defaultConfiguration
    ) throws {
        _ = try Realm(configuration: configuration)
    }

    /// Removes the files of the realm of a configuration; returns whether there were any.
    ///
    /// - Throws: `Realm.Error`: `.alreadyOpen` while this or another process has it open, and what
    ///   removing files may fail with.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let url = configuration.directory
        do {
            return try Store.remove(at: url.path)
        } catch {
            if error.code == .locked, SharedStore.isOpen(url) {
                throw Realm.Error(.alreadyOpen, SharedStore.openHere, fileURL: url)
            }
            throw Realm.Error(error, fileURL: url)
        }
    }

    /// Writes a copy of the realm, as of the newest commit, to a directory that does not exist.
    ///
    /// The copy is a separate realm, and durable when this returns. Writers don't wait for it. The
    /// copy of a read-only realm is as of the newest durable commit, no matter which process made
    /// it. It is encrypted as the realm is, with the same key.
    ///
    /// - Throws: `Realm.Error`: `.fileExists`, `.invalidInput` inside a write transaction and for a
    ///   frozen realm, `.outOfDiskSpace`, `.fileAccess`.
    public func writeCopy(toFile fileURL: URL) throws {
        try writeCopy(to: fileURL) { copy, backup in
            var options = BackupOptions()
            options.encryptionKey = session.shared.encryptionKey
            if session.shared.isReadOnly {
                // Only a writer has a store that makes backups, and it may be another process: the
                // files are read.
                try StoreBackup.make(
                    of: session.shared.fileURL.path, to: backup.path, options: options)
            } else {
                try store.backup(to: backup.path)
            }
            options.method = .clone
            try StoreBackup.restore(from: backup.path, to: copy.path, options: options)
        }
    }

    /// Writes a copy of the realm, as of the newest commit, that has another key, or none: nil
    /// makes a copy that is not encrypted.
    ///
    /// As `writeCopy(toFile:)`, but all objects are written anew, so that it takes longer, and the
    /// copy has no earlier commits.
    ///
    /// - Throws: What `writeCopy(toFile:)` throws; `.invalidInput` for a key that does not have 64
    ///   bytes.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data?) throws {
        let key = try Configuration.storeKey(encryptionKey, fileURL: fileURL)
        if key == session.shared.encryptionKey {
            try writeCopy(toFile: fileURL)
            return
        }
        try writeCopy(to: fileURL) { copy, _ in
            var options = StoreOptions()
            options.encryptionKey = key
            options.scrub = nil
            if session.shared.isReadOnly { try session.shared.reader?.refresh() }
            try session.shared.newestSnapshot(.always).copy(to: copy.path, options: options)
        }
    }

    private func writeCopy(
        to fileURL: URL, _ write: (_ copy: URL, _ backup: URL) throws -> Void
    ) throws {
        guard !isFrozen else {
            throw Error(
                .invalidInput,
                "A copy is of the newest commit, and not of a frozen version: call "
                    + "`thaw().writeCopy(toFile:)`.", fileURL: fileURL)
        }
        session.checkThread()
        let target = fileURL.standardizedFileURL
        guard !isInWriteTransaction else {
            throw Error(
                .invalidInput, "A copy can't be written inside a write transaction. Commit first.",
                fileURL: fileURL)
        }
        guard !FileManager.default.fileExists(atPath: target.path) else {
            throw Error(
                .fileExists,
                "There is a file or directory at '\(target.path)' already. Copy to another path.",
                fileURL: fileURL)
        }
        let backup = target.deletingLastPathComponent()
            .appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
        let copy = backup.appendingPathExtension("copy")
        defer {
            Self.removeIfPresent(backup)
            Self.removeIfPresent(copy)
        }
        let isFree: Bool
        do {
            try write(copy, backup)
            isFree = try StoreCopy.move(from: copy.path, to: target.path)
        } catch let error as StoreError {
            throw Error(error, fileURL: fileURL)
        }
        guard isFree else {
            throw Error(
                .fileExists,
                "A file or directory was made at '\(target.path)' while the copy was written. Copy to "
                    + "another path.",
                fileURL: fileURL)
        }
    }

    /// Writes a copy of the realm to the directory of a configuration, with the key that this has:
    /// as `writeCopy(toFile:encryptionKey:)`.
    public func writeCopy(configuration: Configuration) throws {
        try writeCopy(
            toFile: configuration.directory, encryptionKey: configuration.encryptionKey)
    }

    /// Removes what this process has just made; a failure leaves files that harm nobody.
    fileprivate static func removeIfPresent(_ url: URL) {
        _ = try? FileManager.default.removeItem(at: url)
    }
}

extension Realm.Configuration {
    /// Puts the seed in place of a realm that does not exist, as a separate realm.
    ///
    /// Under another name first: what is there under its own is all of it, and durable.
    func plantSeed() throws {
        guard let seedFilePath, !Realm.fileExists(for: self) else { return }
        let target = directory.standardizedFileURL
        try Store.finishRemoval(at: target.path)
        let copy = target.deletingLastPathComponent()
            .appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
        do {
            try StoreCopy.makeDirectories(at: target.deletingLastPathComponent().path)
            try FileManager.default.copyItem(at: seedFilePath, to: copy)
            try StoreCopy.adopt(at: copy.path, environment: .system(storeKey))
            if try StoreCopy.move(from: copy.path, to: target.path) { return }
            // Another process may have been faster: then its copy is the realm.
            guard Realm.fileExists(for: self) else { throw CocoaError(.fileWriteFileExists) }
            Realm.removeIfPresent(copy)
        } catch {
            Realm.removeIfPresent(copy)
            // An error of the store is a sentence already.
            if let error = error as? StoreError, error.code == .invalidEncryptionKey {
                throw Realm.Error(
                    .invalidEncryptionKey,
                    "The seed at \(seedFilePath.path) has another key than the configuration, or one "
                        + "of both has none. A seed is opened with its own key.",
                    fileURL: seedFilePath)
            }
            let reason = "\(error)"
            throw Realm.Error(
                .fileAccess,
                "The seed at \(seedFilePath.path) could not be copied: \(reason)"
                    + (reason.hasSuffix(".") ? "" : ".")
                    + " Check that it is a realm's directory, and that the target is free.",
                fileURL: directory)
        }
    }
}
