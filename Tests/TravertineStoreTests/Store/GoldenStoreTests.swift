import Foundation
import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Stores of earlier format versions, kept for ever: every later version must read them.
///
/// In each folder of `Golden`, which is named after the version of the manifest, `closed` was
/// closed cleanly, and `crashed` was not and has a log after its newest checkpoint. Both were made
/// by `makeGoldenStores` below, on the simulated disk with segments of 8 KiB, so that the files are
/// small; `lock` files are left out. From version 3 on they have a keyspace `cold` whose values
/// compaction has compressed in packs, from version 4 on one `packed` with packs that are not
/// compressed, and those of version 5 are encrypted, with the bytes 0 to 63 as their key: in
/// `version-5` with segments of version 2, in `version-5-segments-3` with those of version 3. A new
/// format version gets a new folder from
///
///     TRAVERTINE_MAKE_GOLDEN=version-6 swift test --filter makeGoldenStores
///
/// and the folders before it stay as they are.
@Suite struct GoldenStoreTests {
    private static let folder = ProjectFiles.url("Tests/TravertineStoreTests/Golden")
    private static let newVersion = ProcessInfo.processInfo.environment["TRAVERTINE_MAKE_GOLDEN"]

    /// A folder of golden stores.
    struct Version: CustomTestStringConvertible, Sendable {
        var number: Int
        var segments = ""
        var isVerified = false

        var hasCold: Bool { number >= 3 }
        var hasPacked: Bool { number >= 4 }
        var folder: String { "version-\(number)\(segments)" }
        var testDescription: String { "\(folder), \(isVerified ? "verified" : "mapped")" }
        func path(_ name: String) -> String { "\(folder)/\(name)" }

        /// The key that it is encrypted with: from version 5 on.
        var key: EncryptionKey? {
            get throws { number >= 5 ? try EncryptionKey(0..<64 as Range<UInt8>) : nil }
        }

        /// Options to open it with.
        func options() throws -> StoreOptions {
            var options = StoreOptions()
            options.readMode = isVerified ? .verified : .mapped
            options.encryptionKey = try key
            return options
        }

        /// The versions that this build can read.
        private static var readable: [Version] {
            let plain = (1...4).map { Version(number: $0) }
            #if Encryption || canImport(CryptoKit)
                return plain + ["", "-segments-3"].map { Version(number: 5, segments: $0) }
            #else
                return plain
            #endif
        }

        static let all = readable.flatMap { version in
            [false, true].map { isVerified in
                var version = version
                version.isVerified = isVerified
                return version
            }
        }
    }

    // MARK: What the stores hold

    private static let longKey = [UInt8](repeating: 0xab, count: 512)
    private static let transactionCount: UInt64 = 9

    private static func value(_ number: Int) -> [UInt8] {
        if number % 7 == 0 { return Array("second version \(number)".utf8) }
        return firstValue(number)
    }

    private static func firstValue(_ number: Int) -> [UInt8] {
        (0..<number * 7 % 120).map { UInt8(truncatingIfNeeded: number * 31 + $0) }
    }

    /// The records of the default keyspace.
    private static func records(isCrashed: Bool) -> [[UInt8]: [UInt8]] {
        var records: [[UInt8]: [UInt8]] = [:]
        for number in 0..<40 where number % 5 != 4 {
            records[Array("key \(number)".utf8)] = value(number)
        }
        records[[]] = Array("empty key".utf8)
        records[Array("empty value".utf8)] = []
        records[longKey] = Array("longest key".utf8)
        records[Array("large".utf8)] = [UInt8](repeating: 0x5a, count: 5000)
        if isCrashed {
            records[Array("behind".utf8)] = Array("the checkpoint".utf8)
            records[Array("key 1".utf8)] = nil
        }
        return records
    }

    private static func write(to store: Store) throws {
        let nothing: [UInt8] = []
        try store.write { transaction in
            for number in 0..<40 {
                try transaction.put(firstValue(number), forKey: "key \(number)")
            }
        }
        try store.write { transaction in
            try transaction.put("empty key", forKey: nothing)
            try transaction.put(nothing, forKey: "empty value")
            try transaction.put("longest key", forKey: longKey)
        }
        try store.write { try $0.put([UInt8](repeating: 0x5a, count: 5000), forKey: "large") }
        try store.write { transaction in
            let second = try transaction.keyspace(named: "second")
            for number in 0..<20 as Range<UInt64> {
                try transaction.put(number, forKey: number, in: second)
            }
        }
        try store.write { transaction in
            let dropped = try transaction.keyspace(named: "dropped")
            try transaction.put("v", forKey: "k", in: dropped)
        }
        try store.write { transaction in
            try transaction.dropKeyspace(transaction.keyspace(named: "dropped"))
        }
        try store.write { transaction in
            let derived = try transaction.keyspace(named: "derived", kind: .derived)
            for number in 0..<10 as Range<UInt64> {
                try "d \(number)".withBytes { (key) throws(StoreError) in
                    _ = try transaction.indexPut(
                        key, value: number * number, in: derived.identifier)
                }
            }
        }
        try store.checkpoint()
        try store.write { transaction in
            for number in stride(from: 0, to: 40, by: 7) {
                try transaction.put("second version \(number)", forKey: "key \(number)")
            }
        }
        try store.write { transaction in
            for number in stride(from: 4, to: 40, by: 5) { try transaction.delete("key \(number)") }
        }
        try store.checkpoint()
    }

    private static func coldValue(_ number: UInt64) -> [UInt8] {
        Array("a cold value, much like the others: \(number / 3)".utf8)
    }

    /// Two keyspaces with packs, and one record of each that came after them.
    private static func writePacks(to store: Store) throws {
        let keyspaces = try store.write { transaction in
            let keyspaces = [
                try transaction.keyspace(named: "cold", compression: .cold),
                try transaction.keyspace(named: "packed", compression: .packed),
            ]
            for keyspace in keyspaces {
                for number in 0..<60 as Range<UInt64> {
                    try transaction.put(coldValue(number), forKey: number, in: keyspace)
                }
            }
            return keyspaces
        }
        try store.compact()
        try store.write { transaction in
            for keyspace in keyspaces {
                try transaction.put(coldValue(60), forKey: 60 as UInt64, in: keyspace)
            }
        }
        try store.checkpoint()
    }

    private static func writeBehindTheCheckpoint(of store: Store) throws {
        try store.write { transaction in
            try transaction.put("the checkpoint", forKey: "behind")
            try transaction.delete("key 1")
            let derived = try transaction.keyspace(named: "derived", kind: .derived)
            try "d new".withBytes { (key) throws(StoreError) in
                _ = try transaction.indexPut(key, value: 7, in: derived.identifier)
            }
        }
    }

    // MARK: The tests

    @Test("a store of an earlier format that was closed is read", arguments: Version.all)
    func closed(version: Version) throws {
        try withCopy(version.path("closed")) { path in
            let manifest = try Data(contentsOf: URL(fileURLWithPath: path + "/manifest"))
            #expect(manifest[8] == version.number, "the format version in the manifest")
            let found = try StoreVerifier.verify(path: path, key: version.key)
            #expect(found.worst == nil, "\(found.findings)")
            #expect(found.wasClosedCleanly)
            let store = try Store.open(at: path, options: version.options())
            #expect(store.openingReport.source == .newestCheckpoint)
            #expect(store.openingReport.replayedTransactions == 0)
            if !version.hasCold {
                #expect(store.openingReport.lastLSN == Self.transactionCount)
            }
            try compare(store, version, isCrashed: false)
            try goOn(store, path, version, isCrashed: false)
        }
    }

    @Test("a store of an earlier format that was not closed is recovered", arguments: Version.all)
    func crashed(version: Version) throws {
        try withCopy(version.path("crashed")) { path in
            let found = try StoreVerifier.verify(path: path, key: version.key)
            #expect(found.isSound, "\(found.findings)")
            #expect(!found.wasClosedCleanly)
            let store = try Store.open(at: path, options: version.options())
            #expect(store.openingReport.source == .newestCheckpoint)
            #expect(store.openingReport.replayedTransactions == 1)
            #expect(store.openingReport.lastLSN == store.openingReport.checkpointLSN + 1)
            if !version.hasCold {
                #expect(store.openingReport.checkpointLSN == Self.transactionCount)
            }
            try compare(store, version, isCrashed: true)
            try goOn(store, path, version, isCrashed: true)
        }
    }

    @Test(
        "the log of a store of an earlier format is read without its checkpoints",
        arguments: Version.all)
    func fullReplay(version: Version) throws {
        for name in ["closed", "crashed"] {
            try withCopy(version.path(name)) { path in
                for file in try FileManager.default.contentsOfDirectory(atPath: path)
                where file.hasSuffix(".pages") {
                    try FileManager.default.removeItem(atPath: path + "/" + file)
                }
                let store = try Store.open(at: path, options: version.options())
                #expect(store.openingReport.source == .fullReplay)
                let derived = try #require(store.allKeyspaces.first { $0.name == "derived" })
                #expect(store.openingReport.invalidDerivedKeyspaces == [derived.id])
                try compare(store, version, isCrashed: name == "crashed", hasDerived: false)
                try store.close()
            }
        }
    }

    // MARK: Steps

    /// A golden store is never opened itself: opening may change files.
    private func withCopy(_ name: String, _ body: (String) throws -> Void) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: Self.folder.appendingPathComponent(name).path, toPath: directory.path("store"))
        try body(directory.path("store"))
    }

    private func compare(
        _ store: Store, _ version: Version, isCrashed: Bool, hasDerived: Bool = true
    ) throws {
        let snapshot = try store.snapshot()
        let expected = Self.records(isCrashed: isCrashed)
        #expect(snapshot.count() == expected.count)
        let cursor = snapshot.cursor()
        var isValid = try cursor.seekToFirst()
        for key in expected.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            try #require(isValid)
            #expect(cursor.key == key)
            try #expect(cursor.value == expected[key], "key \(key)")
            isValid = try cursor.next()
        }
        let packs = (version.hasCold ? ["cold"] : []) + (version.hasPacked ? ["packed"] : [])
        #expect(store.keyspaces.map(\.name) == ["default", "second"] + packs)
        #expect(store.keyspaces.map(\.id) == Array([1, 2, 5, 6].prefix(packs.count + 2)))
        let second = try #require(try store.keyspace(named: "second"))
        #expect(snapshot.count(in: second) == 20)
        for number in 0..<20 as Range<UInt64> {
            let value = withUnsafeBytes(of: number.bigEndian, Array.init)
            try #expect(snapshot.get(number, in: second) == value)
        }
        if version.hasCold { try comparePacks("cold", .cold, store, snapshot) }
        if version.hasPacked { try comparePacks("packed", .packed, store, snapshot) }
        if hasDerived { try compareDerived(store, snapshot, isCrashed: isCrashed) }
    }

    private func comparePacks(
        _ name: String, _ compression: KeyspaceCompression, _ store: Store, _ snapshot: Snapshot
    ) throws {
        let keyspace = try #require(try store.keyspace(named: name))
        #expect(snapshot.compression(of: keyspace) == compression)
        #expect(snapshot.count(in: keyspace) == 61)
        var packedCount = 0
        for number in 0...60 as ClosedRange<UInt64> {
            try #expect(snapshot.get(number, in: keyspace) == Self.coldValue(number))
        }
        var cursor = snapshot.access.cursor(in: keyspace.identifier)
        var isValid = try cursor.seekToFirst()
        while isValid {
            if Location(rawValue: cursor.indexValue).isCompressed { packedCount += 1 }
            isValid = try cursor.next()
        }
        #expect(packedCount == 60)
    }

    private func compareDerived(_ store: Store, _ snapshot: Snapshot, isCrashed: Bool) throws {
        let derived = try #require(store.allKeyspaces.first { $0.name == "derived" })
        #expect(derived.kind == .derived && derived.id == 4)
        #expect(snapshot.count(in: derived) == (isCrashed ? 11 : 10))
        func number(_ key: String) throws -> UInt64? {
            try key.withBytes { (key) throws(StoreError) in
                try snapshot.access.indexValue(forKey: key, in: derived.identifier)
            }
        }
        for place in 0..<10 as Range<UInt64> {
            try #expect(number("d \(place)") == place * place)
        }
        try #expect(number("d new") == (isCrashed ? 7 : nil))
    }

    /// Writes to the store, and finds everything after reopening.
    private func goOn(
        _ store: Store, _ path: String, _ version: Version, isCrashed: Bool
    ) throws {
        try store.write { try $0.put("new", forKey: "new") }
        try store.close()
        let again = try Store.open(at: path, options: version.options())
        #expect(again.readsAsText("new") == "new")
        try again.write { try $0.delete("new") }
        try compare(again, version, isCrashed: isCrashed)
        try again.close()
        let found = try StoreVerifier.verify(path: path, key: version.key)
        #expect(found.isSound, "\(found.findings)")
    }

    // MARK: The generator

    @Test(
        "golden stores of a new format version are written",
        .enabled(if: newVersion?.hasPrefix("version-") == true))
    func makeGoldenStores() throws {
        let version = try #require(Self.newVersion)
        for name in ["closed", "crashed"] {
            let machine = SimulatedMachine(seed: 20_250_101)
            var options = machine.options(segmentByteCount: 8192)
            options.encryptionKey = try Version(number: 5).key
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            try Self.write(to: store)
            try Self.writePacks(to: store)
            if name == "crashed" { try Self.writeBehindTheCheckpoint(of: store) }
            if name == "closed" { try store.close() }
            let files = machine.files
            if name == "crashed" { machine.crashAndRestart() }
            let target = Self.folder.appendingPathComponent(version).appendingPathComponent(name)
            // Fails when the folder is there: golden stores are never written again.
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                at: target, withIntermediateDirectories: false)
            for file in files where file.name != "lock" {
                try Data(file.bytes).write(to: target.appendingPathComponent(file.name))
            }
        }
    }
}
