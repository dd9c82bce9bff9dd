import Foundation
import ShippingFixtures
import StoreMaintenance
import Synchronization
import TravertineStore

@testable import StoreShipping

/// A store in its own directory, with a model of what it holds after each commit.
final class ShippedStore {
    typealias Model = [String: [UInt8]]

    let directory: String
    private(set) var path: String
    private(set) var store: Store
    private(set) var model: Model = [:]
    /// What the store held after each commit, in the state of the store that goes on.
    private(set) var commits = [Commit(before: 0, after: 0, model: [:])]
    private var saved: (files: [String: Data], commits: [Commit], model: Model)?
    private var copyCount = 0

    /// - Parameter segmentByteCount: where a segment ends; a longer one may get a larger part.
    init(key: EncryptionKey? = nil, segmentByteCount: Int = 128 << 10) throws {
        directory =
            FileManager.default.temporaryDirectory
            .appending(path: "store-shipping-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        path = directory + "/store"
        self.key = key
        self.segmentByteCount = segmentByteCount
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
    }

    let key: EncryptionKey?
    private let segmentByteCount: Int

    /// A commit whose LSN is greater than one and at most another: work in the background may have
    /// taken LSNs too.
    struct Commit {
        var before: UInt64
        var after: UInt64
        var model: Model
    }

    private static func options(
        _ key: EncryptionKey?, _ segmentByteCount: Int = 128 << 10
    ) -> StoreOptions {
        var options = StoreOptions()
        options.encryptionKey = key
        options.scrub = nil
        options.segmentByteCount = segmentByteCount
        options.checkpointInterval = 256 << 10
        return options
    }

    func remove() {
        try? store.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A commit of these changes.
    func commit(
        _ changes: [(key: String, value: [UInt8]?)], durability: Durability = .commit
    ) throws {
        let before = try store.snapshot().lsn
        try store.write(durability: durability) { transaction in
            for (key, value) in changes {
                if let value {
                    try transaction.put(value, forKey: key)
                } else {
                    try transaction.delete(key)
                }
            }
        }
        for (key, value) in changes { model[key] = value }
        commits.append(
            Commit(before: before, after: try store.snapshot().lsn, model: model))
    }

    func put(_ key: String, _ value: String) throws { try commit([(key, Array(value.utf8))]) }

    /// A random commit.
    func commit(_ random: inout SeededRandom, durability: Durability = .commit) throws {
        var changes: [(key: String, value: [UInt8]?)] = []
        for _ in 0...random.below(6) {
            let key = "key \(random.below(60))"
            let isLarge = random.chance(10)
            let count = random.below(isLarge ? 400_000 : 300)
            let value = random.chance(20) ? nil : random.bytes(count)
            changes.append((key, value))
        }
        try commit(changes, durability: durability)
    }

    func reopen() throws {
        try store.close()
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
    }

    /// The file `lock` as it is now.
    func lockContents() throws -> Data {
        try Data(contentsOf: URL(filePath: path + "/lock"))
    }

    /// Leaves the files as a power cut at this moment would, with an older state of the file
    /// `lock`, whose blocks are not synced. No store is open then until `start`.
    func losePower(lock: Data) throws {
        store.pauseCompaction()
        try store.sync()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        var files: [String: Data] = ["lock": lock]
        for name in names where name != "lock" {
            files[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where files[name] == nil {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        for (name, data) in files { try Self.overwrite(path + "/" + name, data) }
    }

    /// Opens the store after `losePower`.
    func start() throws {
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
    }

    /// A directory that a copy of the files is put into, as somebody makes one with `cp`.
    func copied() throws -> String {
        let copy = directory + "/copy-\(UUID().uuidString)"
        try store.close()
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try start()
        return copy
    }

    /// Writes other contents over those of a file: a program that has it open sees them.
    private static func overwrite(_ path: String, _ data: Data) throws {
        if !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(filePath: path))
        }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: data)
        try file.truncate(atOffset: UInt64(data.count))
        try file.close()
    }

    /// Goes on with the files as a crash at this moment would leave them, in another directory.
    func crash() throws {
        copyCount += 1
        let copy = directory + "/store-\(copyCount)"
        // The files are copied while the store is open, without the lock.
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: true)
        try store.sync()
        store.pauseCompaction()
        let order = ["manifest"]
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        for name in order + names.filter({ !order.contains($0) && $0 != "lock" }) {
            try? FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy + "/" + name)
        }
        try store.close()
        try FileManager.default.removeItem(atPath: path)
        path = copy
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
    }

    /// Remembers the files as they are when the store is closed.
    func save() throws {
        try store.close()
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            files[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        saved = (files, commits, model)
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
    }

    /// Puts the remembered files back, in place, as a user with a copy may.
    ///
    /// - Parameter withLock: whether the file `lock` is removed, too: then nothing shows the store
    ///   that its files are older ones, and it goes on in the same lineage.
    func putBack(withLock: Bool) throws -> Bool {
        guard let saved else { return false }
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where withLock || name != "lock" {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        for (name, data) in saved.files where name != "lock" {
            try data.write(to: URL(filePath: path + "/" + name))
        }
        (commits, model) = (saved.commits, saved.model)
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
        return true
    }

    /// Writes the remembered files over those that are there, `lock` among them, as `cp` does: a
    /// program that has one open sees the older contents.
    func overwrite() throws {
        guard let saved else { return }
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where saved.files[name] == nil {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        for (name, data) in saved.files { try Self.overwrite(path + "/" + name, data) }
        (commits, model) = (saved.commits, saved.model)
        store = try Store.open(at: path, options: Self.options(key, segmentByteCount))
    }

    /// What the store held as of an LSN; several where it is not certain which commit that is.
    func models(at lsn: UInt64) -> [Model] { Self.models(at: lsn, in: commits) }

    /// The same of a store that made these commits.
    static func models(at lsn: UInt64, in commits: [Commit]) -> [Model] {
        let certain = commits.lastIndex { $0.after <= lsn } ?? 0
        return commits[certain...].prefix { $0.before < lsn || $0.after <= lsn }.map(\.model)
    }

    /// All that a store holds.
    static func contents(at path: String, key: EncryptionKey? = nil) throws -> Model {
        let store = try Store.open(at: path, options: options(key))
        defer { try? store.close() }
        let snapshot = try store.snapshot()
        var model: Model = [:]
        let cursor = snapshot.cursor()
        var isValid = try cursor.seekToFirst()
        while isValid {
            model[String(decoding: cursor.key, as: UTF8.self)] = try cursor.value
            isValid = try cursor.next()
        }
        return model
    }

    /// Restores a point beside the store, and gives what it holds.
    func restored(
        _ selection: PointSelection, from storage: any BackupStorage
    ) async throws -> (contents: Model, report: RestoreReport) {
        let target = directory + "/restored-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: target) }
        let report = try await Restorer(storage: storage).restore(
            selection, to: target, encryptionKey: key)
        return (try Self.contents(at: target, key: key), report)
    }
}

/// A clock that tests set, and options that use it.
final class TestClock: Sendable {
    private let time = Mutex<Int64>(1_750_000_000_000)
    /// Milliseconds that have passed, whatever the time of day was set to.
    private let passed = Mutex<Int64>(0)

    var now: Int64 { time.withLock { $0 } }

    func advance(seconds: Int64) { pass(milliseconds: seconds * 1000) }

    private func pass(milliseconds: Int64) {
        time.withLock { $0 += milliseconds }
        passed.withLock { $0 += milliseconds }
    }

    /// Sets the time of day, as a service or an administrator may: no time has passed.
    func jump(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }

    /// Options of a shipper whose process is known by a number.
    func options(process: Int32 = 1) -> ShipperOptions {
        var options = ShipperOptions()
        options.now = { self.now }
        options.uptime = { .milliseconds(self.passed.withLock { $0 }) }
        options.sleep = { duration in
            try Task.checkCancellation()
            self.pass(milliseconds: duration.milliseconds)
        }
        (options.host, options.boot, options.machine) = ("here", "first start", "machine 1")
        options.process = process
        options.isProcessAlive = { _ in true }
        return options
    }
}
