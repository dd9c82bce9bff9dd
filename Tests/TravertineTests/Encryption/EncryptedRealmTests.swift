#if Encryption || canImport(CryptoKit)
    import Foundation
    import RealmSwift
    import TestSupport
    import Testing

    /// Realms with an `encryptionKey`.
    @Suite("Encrypted realms")
    struct EncryptedRealmTests {
        private static func key(_ seed: UInt8 = 1) -> Data {
            Data((0..<64).map { $0 &* 7 &+ seed })
        }

        private static func configuration(
            _ directory: TemporaryDirectory, _ name: String = "a.realm", key: Data?,
            readOnly: Bool = false
        ) -> Realm.Configuration {
            Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path + "/" + name), encryptionKey: key,
                readOnly: readOnly, objectTypes: [Town.self, Nation.self])
        }

        private static func fill(_ configuration: Realm.Configuration) throws {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for number in 0..<100 {
                    let town = Town()
                    town.id = number
                    town.name = "Town-of-the-secret \(number)"
                    town.otherNames.append("another secret \(number)")
                    realm.add(town)
                }
            }
        }

        private static func count(_ configuration: Realm.Configuration) throws -> Int {
            try Realm(configuration: configuration).objects(Town.self)
                .where { $0.name.starts(with: "Town-of") && $0.otherNames.count == 1 }.count
        }

        private static func code(_ body: () throws -> Void) -> Realm.Error.Code? {
            do {
                try body()
                return nil
            } catch {
                return (error as? Realm.Error)?.code
            }
        }

        @Test("objects are found again with the key only")
        func keys() throws {
            let directory = TemporaryDirectory()
            try Self.fill(Self.configuration(directory, key: Self.key()))
            for readOnly in [false, true] {
                for key in [nil, Self.key(2)] {
                    let other = Self.configuration(directory, key: key, readOnly: readOnly)
                    #expect(Self.code { _ = try Self.count(other) } == .invalidEncryptionKey)
                }
                let right = Self.configuration(directory, key: Self.key(), readOnly: readOnly)
                #expect(try Self.count(right) == 100)
            }
            let short = Self.configuration(directory, key: Data(repeating: 1, count: 63))
            #expect(Self.code { _ = try Self.count(short) } == .invalidInput)
            let url = URL(fileURLWithPath: directory.path + "/a.realm")
            #expect(try schemaVersionAtURL(url, encryptionKey: Self.key()) == 0)
            #expect(Self.code { _ = try schemaVersionAtURL(url) } == .invalidEncryptionKey)
            do {
                _ = try Self.count(Self.configuration(directory, key: nil))
            } catch Realm.Error.invalidEncryptionKey {
                // As RealmSwift's codes are caught.
            }
        }

        @Test("a realm that is open with its key is not shown to another configuration")
        func openWithAnotherKey() throws {
            let directory = TemporaryDirectory()
            let realm = try Realm(configuration: Self.configuration(directory, key: Self.key()))
            for key in [nil, Self.key(2)] {
                let other = Self.configuration(directory, key: key)
                #expect(Self.code { _ = try Realm(configuration: other) } == .invalidEncryptionKey)
            }
            let url = URL(fileURLWithPath: directory.path + "/a.realm")
            #expect(Self.code { _ = try schemaVersionAtURL(url) } == .invalidEncryptionKey)
            #expect(realm.isEmpty)
        }

        @Test("a realm that must be deleted for a migration is not, without its key")
        func noDeletionWithoutKey() throws {
            let directory = TemporaryDirectory()
            try Self.fill(Self.configuration(directory, key: Self.key()))
            for key in [nil, Self.key(2)] {
                var other = Self.configuration(directory, key: key)
                other.deleteRealmIfMigrationNeeded = true
                #expect(Self.code { _ = try Realm(configuration: other) } == .invalidEncryptionKey)
            }
            #expect(try Self.count(Self.configuration(directory, key: Self.key())) == 100)
        }

        @Test("the files of a realm are deleted without its key")
        func deletion() throws {
            let directory = TemporaryDirectory()
            try Self.fill(Self.configuration(directory, key: Self.key()))
            #expect(try Realm.deleteFiles(for: Self.configuration(directory, key: nil)))
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/a.realm"))
        }

        @Test("copies keep the key, or have the one that they are given")
        func copies() throws {
            let directory = TemporaryDirectory()
            let configuration = Self.configuration(directory, key: Self.key())
            try Self.fill(configuration)
            for readOnly in [false, true] {
                var opened = configuration
                opened.readOnly = readOnly
                let realm = try Realm(configuration: opened)
                let copies: [(String, key: Data?)] = [("b", Self.key(2)), ("c", nil)]
                for (name, key) in copies {
                    let url = URL(fileURLWithPath: "\(directory.path)/\(name)\(readOnly)")
                    try realm.writeCopy(toFile: url, encryptionKey: key)
                    let copy = Self.configuration(directory, url.lastPathComponent, key: key)
                    #expect(try Self.count(copy) == 100)
                }
                let url = URL(fileURLWithPath: "\(directory.path)/d\(readOnly)")
                try realm.writeCopy(toFile: url)
                #expect(
                    try Self.count(
                        Self.configuration(directory, url.lastPathComponent, key: Self.key()))
                        == 100)
                let target = Self.configuration(directory, "e\(readOnly)", key: Self.key(3))
                try realm.writeCopy(configuration: target)
                #expect(try Self.count(target) == 100)
                #expect(
                    Self.code {
                        try realm.writeCopy(
                            toFile: URL(fileURLWithPath: directory.path + "/f"),
                            encryptionKey: Data([1]))
                    } == .invalidInput)
            }
        }

        @Test("a seed is opened with its own key")
        func seeds() throws {
            let directory = TemporaryDirectory()
            let seed = Self.configuration(directory, "seed.realm", key: Self.key())
            try Self.fill(seed)
            var configuration = Self.configuration(directory, "planted.realm", key: Self.key())
            configuration.seedFilePath = seed.fileURL
            #expect(try Self.count(configuration) == 100)
            var other = Self.configuration(directory, "other.realm", key: Self.key(2))
            other.seedFilePath = seed.fileURL
            #expect(Self.code { _ = try Self.count(other) } == .invalidEncryptionKey)
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/other.realm"))
        }

        @Test("a realm in memory has encrypted files too, and shows them to nobody without the key")
        func inMemory() throws {
            var configuration = Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, encryptionKey: Self.key(),
                objectTypes: [Town.self, Nation.self])
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Town.self, value: ["id": 1, "name": "x"]) }
            #expect(realm.objects(Town.self).count == 1)
            configuration.encryptionKey = nil
            #expect(
                Self.code { _ = try Realm(configuration: configuration) } == .invalidEncryptionKey)
        }

        @Test("configurations with different keys are different, and show no key")
        func equality() {
            let directory = TemporaryDirectory()
            let configuration = Self.configuration(directory, key: Self.key())
            #expect(configuration == Self.configuration(directory, key: Self.key()))
            #expect(configuration != Self.configuration(directory, key: Self.key(2)))
            #expect(configuration != Self.configuration(directory, key: nil))
            #expect(configuration.description.contains("encryptionKey = (not shown)"))
        }

        @Test("frozen objects, links, lists, queries and changes are as in other realms")
        func everydayUse() throws {
            let directory = TemporaryDirectory()
            let configuration = Self.configuration(directory, key: Self.key())
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let nation = Nation(value: ["code": "PT", "name": "Portugal"])
                for number in 0..<500 {
                    let town = Town()
                    town.id = number
                    town.name = "town \(number)"
                    town.population = number * 10
                    town.nation = nation
                    realm.add(town)
                }
            }
            let large = realm.objects(Town.self).where {
                $0.population > 2500 && $0.nation.code == "PT"
            }
            #expect(large.count == 249)
            let frozen = large.freeze()
            try realm.write { for town in large.sorted(byKeyPath: "id") { town.name = "changed" } }
            #expect(frozen.allSatisfy { $0.name != "changed" })
            #expect(realm.objects(Town.self).filter("name == 'changed'").count == 249)
            try realm.write { realm.delete(realm.objects(Town.self).where { $0.id < 100 }) }
            #expect(realm.objects(Town.self).count == 400)
        }
    }
#endif
