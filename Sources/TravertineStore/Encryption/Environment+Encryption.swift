import SegmentLog

extension Environment {
    /// The same environment, whose file system encrypts the files of stores.
    package func encrypted(with cipher: any StoreCipher) -> Environment {
        var environment = self
        environment.fileSystem = EncryptedFileSystem(
            fileSystem.stored, cipher: cipher, random: random, kind: StoreFiles.kind)
        return environment
    }
}

extension Environment {
    /// The machine itself, whose stores have a key if one is given.
    package static func system(_ key: EncryptionKey?) -> Environment {
        guard let key else { return .system }
        return Environment.system.encrypted(with: key.cipher)
    }
}

extension StoreFiles {
    /// How a file is stored where stores are encrypted (Format 9).
    static func kind(_ path: String) -> EncryptedFileSystem.Kind {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if segmentNumber(of: name) != nil { return .segment }
        if feedName(of: name) != nil { return .plain }
        if pageFileNumber(of: name) != nil || keyHashFileNumber(of: name) != nil {
            return .sealed
        }
        switch name {
        case manifest, newManifest, removedManifest:
            return .root(.init(magic: Manifest.magic, plainMagic: Manifest.magic, name: "store"))
        case BackupTarget.listName, BackupTarget.newListName:
            return .root(
                .init(
                    magic: SealedFileHeader.magic, plainMagic: BackupManifest.magic,
                    name: "backup",
                    advice: " After a change of the key, make backups in another directory."))
        case lock, scrub, building: return .plain
        default: return .other
        }
    }
}
