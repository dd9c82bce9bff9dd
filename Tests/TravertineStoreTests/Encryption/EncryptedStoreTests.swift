#if Encryption || canImport(CryptoKit)
    import Foundation
    import SegmentLog
    import SimulatedDisk
    import StoreMaintenance
    import TestSupport
    import Testing

    @testable import StoreFixtures
    @testable import TravertineStore

    /// Stores with a key: what opens them, what is left on the disk, what is never sealed twice.
    @Suite("Encrypted stores")
    struct EncryptedStoreTests {
        private static let mark = "Xq7-marked-text-that-no-file-may-hold"

        private static func key(_ seed: UInt8 = 1) throws -> EncryptionKey {
            try EncryptionKey((0..<64).map { $0 &* 31 &+ seed })
        }

        private static func options(_ key: EncryptionKey?) -> StoreOptions {
            var options = StoreOptions()
            options.segmentByteCount = 64 << 10
            options.scrub = nil
            options.encryptionKey = key
            return options
        }

        /// All files of a directory by name.
        private static func files(_ path: String) throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    (name, try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
                })
        }

        private static func fill(_ path: String, _ key: EncryptionKey?) throws {
            let store = try Store.open(at: path, options: options(key))
            for round in 0..<20 {
                try store.write { transaction in
                    let second = try transaction.keyspace(named: "second \(mark)")
                    for number in 0..<50 {
                        try transaction.put(
                            "\(mark) \(round) \(number)", forKey: "\(mark) \(number)", in: second)
                        try transaction.put("value \(round)", forKey: "key \(number)")
                    }
                }
            }
            try store.close()
        }

        private static func check(_ path: String, _ key: EncryptionKey?) throws {
            let store = try Store.open(at: path, options: options(key))
            let second = try #require(try store.keyspace(named: "second \(mark)"))
            for number in 0..<50 {
                let value = try store.get("\(mark) \(number)", in: second)
                #expect(value == Array("\(mark) 19 \(number)".utf8))
                #expect(try store.get("key \(number)") == Array("value 19".utf8))
            }
            try store.close()
        }

        // MARK: Keys

        @Test("what was written with a key is read with it, after closing and by readers")
        func roundTrip() throws {
            let directory = TemporaryDirectory()
            let path = directory.path + "/store"
            let key = try Self.key()
            try Self.fill(path, key)
            try Self.check(path, key)
            let store = try Store.open(at: path, options: Self.options(key))
            let reader = try StoreReader.open(at: path, options: Self.options(key))
            try store.write { try $0.put("newest", forKey: "key 0") }
            try reader.refresh()
            #expect(try reader.snapshot().get("key 0") == Array("newest".utf8))
            reader.close()
            try store.close()
            #expect(try StoreVerifier.verify(path: path, level: .deep, key: key).findings.isEmpty)
        }

        @Test(
            "another key, no key, and a key that is not needed are refused, and nothing is written")
        func wrongKeys() throws {
            let directory = TemporaryDirectory()
            let (encrypted, plain) = (directory.path + "/encrypted", directory.path + "/plain")
            let backup = directory.path + "/backup"
            try Self.fill(encrypted, Self.key())
            try Self.fill(plain, nil)
            let store = try Store.open(at: encrypted, options: Self.options(Self.key()))
            try store.backup(to: backup)
            try store.close()
            let cases: [(path: String, key: EncryptionKey?)] = [
                (encrypted, nil), (encrypted, try Self.key(2)), (plain, try Self.key()),
            ]
            for (path, key) in cases {
                let before = try Self.files(path)
                let options = Self.options(key)
                var backupOptions = BackupOptions()
                backupOptions.encryptionKey = key
                let target = directory.path + "/target"
                let attempts: [(String, () throws -> Void)] = [
                    ("open", { _ = try Store.open(at: path, options: options) }),
                    ("reader", { _ = try StoreReader.open(at: path, options: options) }),
                    ("verify", { _ = try StoreVerifier.verify(path: path, key: key) }),
                    ("repair", { _ = try StoreRepair.repair(path: path, key: key) }),
                    (
                        "recover",
                        { _ = try StoreSalvage.recover(directory: path, to: target, key: key) }
                    ),
                    (
                        "backup",
                        { _ = try StoreBackup.make(of: path, to: target, options: backupOptions) }
                    ),
                ]
                for (name, attempt) in attempts {
                    let error = #expect(throws: StoreError.self, "\(name)") { try attempt() }
                    #expect(
                        error?.code == .invalidEncryptionKey,
                        "\(name): \(String(describing: error))")
                }
                #expect(try Self.files(path) == before)
                #expect(!FileManager.default.fileExists(atPath: target))
            }
            #expect(try StoreBackup.verify(path: backup, key: Self.key()).findings.isEmpty)
            for key in [nil, try Self.key(2)] {
                let before = try Self.files(backup)
                var options = BackupOptions(method: .copy)
                options.encryptionKey = key
                let target = directory.path + "/restored"
                let attempts: [(String, () throws -> Void)] = [
                    ("verify", { _ = try StoreBackup.verify(path: backup, key: key) }),
                    (
                        "restore",
                        { _ = try StoreBackup.restore(from: backup, to: target, options: options) }
                    ),
                ]
                for (name, attempt) in attempts {
                    let error = #expect(throws: StoreError.self, "\(name)") { try attempt() }
                    #expect(
                        error?.code == .invalidEncryptionKey,
                        "\(name): \(String(describing: error))")
                }
                #expect(try Self.files(backup) == before)
                #expect(!FileManager.default.fileExists(atPath: target))
            }
        }

        @Test("a key has 64 bytes, and is not shown")
        func keyBytes() throws {
            for count in [0, 32, 63, 65] {
                let error = #expect(throws: StoreError.self) {
                    _ = try EncryptionKey([UInt8](repeating: 7, count: count))
                }
                #expect(error?.code == .misuse)
            }
            let key = try EncryptionKey([UInt8](repeating: 77, count: 64))
            var text = "\(key) \(String(reflecting: key))"
            dump(key, to: &text)
            dump(Self.options(key), to: &text)
            #expect(!text.contains("77, 77") && !text.contains("- 77") && !text.contains("4d4d4d"))
            #expect(try key == EncryptionKey([UInt8](repeating: 77, count: 64)))
            #expect(try key != EncryptionKey([UInt8](repeating: 78, count: 64)))
            #expect(EncryptionKey.randomBytes().count == 64)
            #expect(EncryptionKey.randomBytes() != EncryptionKey.randomBytes())
        }

        // MARK: What is on the disk

        @Test(
            "no key, value or name of a keyspace is in any file, whatever was done with the store")
        func noPlainText() throws {
            let directory = TemporaryDirectory()
            let path = directory.path + "/store"
            let key = try Self.key()
            try Self.fill(path, key)
            let store = try Store.open(at: path, options: Self.options(key))
            try store.write { transaction in
                for number in 0..<200 {
                    try transaction.put("\(Self.mark) \(number)", forKey: "\(Self.mark) \(number)")
                }
            }
            try store.compact()
            try store.backup(to: directory.path + "/backup", options: BackupOptions(method: .copy))
            try store.snapshot().copy(to: directory.path + "/copy", options: Self.options(key))
            // Not closed when its files are looked at.
            for name in ["store", "backup", "copy"] {
                for (file, bytes) in try Self.files(directory.path + "/" + name) {
                    #expect(bytes.range(of: Data(Self.mark.utf8)) == nil, "\(name)/\(file)")
                    // The text is there at all: an unencrypted store shows it.
                    #expect(bytes.range(of: Data("Xq7-marked".utf8)) == nil, "\(name)/\(file)")
                }
            }
            try store.close()
            try Self.fill(directory.path + "/plain", nil)
            let plain = try Self.files(directory.path + "/plain")
            #expect(plain.values.contains { $0.range(of: Data(Self.mark.utf8)) != nil })
        }

        @Test("two stores with one key and the same contents have no block of ciphertext in common")
        func noSharedBlocks() throws {
            let directory = TemporaryDirectory()
            let key = try Self.key()
            var blocks: [Set<Data>] = []
            for name in ["a", "b"] {
                try Self.fill(directory.path + "/" + name, key)
                var found: Set<Data> = []
                for (file, bytes) in try Self.files(directory.path + "/" + name)
                where file.hasSuffix(".segment") || file.hasSuffix(".pages") || file == "manifest" {
                    for start in stride(from: 128, to: bytes.count - 16, by: 8) {
                        let block = bytes[start..<start + 16]
                        if Set(block).count > 8 { found.insert(Data(block)) }
                    }
                }
                blocks.append(found)
            }
            #expect(blocks[0].count > 1000)
            #expect(blocks[0].isDisjoint(with: blocks[1]))
        }

        @Test("a nonce is used once, also where an older state of the disk is put back and goes on")
        func noncesAfterRollback() throws {
            let record = RecordingCipher.Record()
            let cipher = RecordingCipher(record: record)
            let seed = UInt64.random(in: 0..<1 << 32)
            let machine = SimulatedMachine(seed: seed, cipher: cipher)
            func live(_ machine: SimulatedMachine, _ text: String) throws {
                let store = try Store.open(
                    at: SimulatedMachine.path, options: machine.options(segmentByteCount: 64 << 10))
                for number in 0..<20 {
                    try store.write { try $0.put("\(text) \(number)", forKey: "key \(number)") }
                }
                machine.executor.drain()
                try store.close()
            }
            try live(machine, "first")
            let older = machine.files
            // Each goes on from the same closed segment, at the same offset.
            for life in 0..<4 as Range<UInt64> {
                let other = SimulatedMachine(
                    older, seed: seed &+ 100 &+ life, fileCapacity: 2 << 20, cipher: cipher)
                try live(other, "life \(life)")
            }
            // A second use ends the process: see `RecordingCipher`.
            #expect(record.count > 100, "seed \(seed)")
        }

        @Test("an encrypted store that was just made is removed without its key")
        func removal() throws {
            let directory = TemporaryDirectory()
            let path = directory.path + "/store"
            try Store.open(at: path, options: Self.options(Self.key())).close()
            #expect(try Store.remove(at: path))
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        // MARK: Digests

        @Test("the digest of a commit is found in what goes on from it, not in an older state")
        func digests() throws {
            let directory = TemporaryDirectory()
            let path = directory.path + "/store"
            let key = try Self.key()
            try Self.fill(path, key)
            try FileManager.default.copyItem(atPath: path, toPath: directory.path + "/older")
            var store = try Store.open(at: path, options: Self.options(key))
            let first = try store.commitDigest()
            try store.write { try $0.put("a", forKey: "a") }
            let second = try store.commitDigest()
            #expect(second.lsn == first.lsn + 1 && second.bytes != first.bytes)
            #expect(try store.contains(first) == true && store.contains(second) == true)
            try store.close()
            store = try Store.open(at: path, options: Self.options(key))
            #expect(try store.contains(first) == true && store.contains(second) == true)
            try store.compact()
            try store.compact()
            #expect(try store.contains(first) != false)
            try store.close()
            // Put back, and going on: the same LSN is another commit.
            let older = try Store.open(at: directory.path + "/older", options: Self.options(key))
            #expect(try older.contains(first) == true && older.contains(second) == false)
            try older.write { try $0.put("a", forKey: "a") }
            #expect(try older.contains(second) == false)
            try older.close()
            let plain = try Store.open(at: directory.path + "/plain", options: Self.options(nil))
            try plain.write { try $0.put("a", forKey: "a") }
            let error = #expect(throws: StoreError.self) { try plain.commitDigest() }
            #expect(error?.code == .misuse)
            try plain.close()
        }

        // MARK: Copies

        @Test("a copy has the key that it is given, or none, and the same contents")
        func copies() throws {
            let directory = TemporaryDirectory()
            let keys = [nil, try Self.key(1), try Self.key(2)]
            for (number, from) in keys.enumerated() {
                let source = directory.path + "/source \(number)"
                try Self.fill(source, from)
                for (other, to) in keys.enumerated() {
                    let target = directory.path + "/copy \(number) \(other)"
                    let store = try Store.open(at: source, options: Self.options(from))
                    try store.snapshot().copy(to: target, options: Self.options(to))
                    try store.close()
                    try Self.check(target, to)
                    #expect(
                        try StoreVerifier.verify(path: target, level: .deep, key: to)
                            .findings.isEmpty)
                }
            }
        }
    }
#endif
