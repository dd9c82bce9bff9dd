import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport
import TravertineStore

/// A store's directory on a simulated disk, with background jobs, time and randomness in the hands
/// of the test: the same seed gives the same life.
final class SimulatedMachine {
    static let path = "/store"

    let disk: SimulatedDisk
    let executor = ManualExecutor()
    /// What encrypts the store; nil if it is not encrypted.
    let cipher: RecordingCipher?
    private(set) var fileSystem: SimulatedFileSystem
    private let clock = Clock()
    private let random: SharedRandom

    private final class Clock: Sendable {
        private let time = Atomic<UInt64>(1)
        func now() -> UInt64 { time.add(1000, ordering: .relaxed).newValue }
        func advance(_ nanoseconds: UInt64) { time.add(nanoseconds, ordering: .relaxed) }
    }

    init(seed: UInt64, fileCapacity: Int = 2 << 20, cipher: RecordingCipher? = nil) {
        self.cipher = cipher
        disk = SimulatedDisk(seed: seed, fileCapacity: fileCapacity)
        fileSystem = disk.start()
        random = SharedRandom(SeededRandom(scattering: seed &+ 1))
    }

    /// A machine whose disk holds these files.
    convenience init(
        _ files: [StoreImage.File], seed: UInt64, fileCapacity: Int,
        cipher: RecordingCipher? = nil
    ) {
        self.init(seed: seed, fileCapacity: fileCapacity, cipher: cipher)
        // Directories are made through the file system only.
        _ = capture { () throws(FileSystemError) in try fileSystem.createDirectory(Self.path) }
        for file in files { disk.setContents(of: Self.path + "/" + file.name, file.bytes) }
    }

    /// Small segments and few background jobs, so that a small store has all kinds of files.
    func options(_ readMode: ReadMode = .mapped, segmentByteCount: Int = 64 << 10) -> StoreOptions {
        var options = StoreOptions()
        options.readMode = readMode
        options.segmentByteCount = segmentByteCount
        options.scrub = nil
        options.environment = environment
        return options
    }

    var environment: Environment {
        let clock = clock
        let random = random
        let environment = Environment(
            fileSystem: fileSystem, executor: executor, now: { clock.now() },
            random: { random.next() })
        return cipher.map { environment.encrypted(with: $0) } ?? environment
    }

    /// The files of the store, as the machine sees them.
    var files: [StoreImage.File] {
        disk.paths.filter { $0.hasPrefix(Self.path + "/") }.map { path in
            StoreImage.File(
                name: String(path.dropFirst(Self.path.count + 1)),
                bytes: disk.contents(of: path) ?? [])
        }
    }

    /// Lets time pass.
    func advance(seconds: UInt64) { clock.advance(seconds * 1_000_000_000) }

    /// Stops the machine and starts it again: what was not synced may be lost.
    func crashAndRestart() {
        disk.crash()
        executor.removeAll()
        fileSystem = disk.start()
    }

    /// Ends the process and begins another one; the machine goes on.
    func restart() {
        executor.removeAll()
        fileSystem = disk.start()
    }

    /// The names of the calls to the disk since a value of `callCount`, as far as they are known.
    func calls(since count: Int) -> [String] {
        disk.recentCalls.suffix(disk.callCount - count)
    }
}

/// The files of a closed store, with what it must hold.
struct StoreImage {
    struct File {
        var name: String
        var bytes: [UInt8]
    }

    /// Keys with their values by the keyspace's name, in the order of the keys.
    typealias Contents = [String: [(key: [UInt8], value: [UInt8])]]

    var files: [File]
    var contents: Contents

    subscript(name: String) -> [UInt8] { files.first { $0.name == name }?.bytes ?? [] }

    /// The files with other bytes for one of them.
    func files(replacing name: String, with bytes: [UInt8]) -> [File] {
        files.map { $0.name == name ? File(name: name, bytes: bytes) : $0 }
    }

    /// A store of a few dozen records in two keyspaces, closed three times: it has two segments,
    /// two checkpoints with a page for each keyspace, overwritten and deleted keys.
    static func make(seed: UInt64, cipher: RecordingCipher? = nil) throws -> StoreImage {
        let machine = SimulatedMachine(seed: seed, cipher: cipher)
        var random = SeededRandom(seed: seed)
        for round in 0..<3 {
            let options = machine.options(segmentByteCount: 4096)
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            for number in 0..<3 {
                try store.write { transaction in
                    let second = try transaction.keyspace(named: "second")
                    for _ in 0..<4 {
                        let keyspace = Bool.random(using: &random) ? Keyspace.default : second
                        let key = "key \(Int.random(in: 0..<40, using: &random))"
                        let length = Int.random(in: 0...150, using: &random)
                        try transaction.put(random.bytes(length), forKey: key, in: keyspace)
                    }
                    if number == 2 { try transaction.delete("key \(round)") }
                }
                machine.executor.drain()
            }
            try store.close()
        }
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        let contents = try Self.contents(of: store)
        try store.close()
        return StoreImage(files: machine.files, contents: contents)
    }

    /// Everything in a store, read with verified checksums.
    static func contents(of store: Store) throws -> Contents {
        let snapshot = try store.snapshot()
        var contents: Contents = [:]
        for keyspace in store.keyspaces {
            var records: [(key: [UInt8], value: [UInt8])] = []
            let cursor = snapshot.cursor(in: keyspace)
            var isValid = try cursor.seekToFirst()
            while isValid {
                records.append((cursor.key, try cursor.value))
                isValid = try cursor.next()
            }
            contents[keyspace.name] = records
        }
        return contents
    }
}
