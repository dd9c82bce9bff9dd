import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A store on a file system that nobody can write to, such as a mounted image.
@Suite struct ReadOnlyTests {
    private let path = SimulatedMachine.path

    /// A machine that was stopped, with or without the file of the lock.
    private func machine(hasLock: Bool, isClean: Bool) throws -> SimulatedMachine {
        let machine = SimulatedMachine(seed: 29)
        let store = try Store.open(at: path, options: machine.options(segmentByteCount: 4096))
        for number in 0..<40 as Range<UInt64> {
            try store.write { try $0.put("value \(number)", forKey: number) }
        }
        if isClean { try store.close() } else { machine.crashAndRestart() }
        if !hasLock { machine.disk.lose(path + "/" + StoreFiles.lock) }
        return machine
    }

    private func environment(_ machine: SimulatedMachine) -> Environment {
        var environment = machine.environment
        environment.fileSystem = ReadOnlyFileSystem(machine.fileSystem)
        return environment
    }

    @Test(
        "it is verified, with its lock or without one, and the report calls it read-only",
        arguments: VerificationLevel.allCases, [true, false])
    func verified(level: VerificationLevel, isClean: Bool) throws {
        for hasLock in [true, false] {
            let machine = try machine(hasLock: hasLock, isClean: isClean)
            let before = machine.files.map(\.bytes)
            let report = try StoreVerifier.verify(
                path: path, level: level, environment: environment(machine))
            #expect(report.isSound && report.keyCount == 40, "\(report)")
            #expect(report.findings.contains { $0.message.contains("read-only") })
            #expect(machine.files.map(\.bytes) == before)
            // The directory is free again.
            let again = try StoreVerifier.verify(
                path: path, level: level, environment: environment(machine))
            #expect(again == report)
        }
    }

    @Test(
        "a reader reads it, with its lock or without one", arguments: [true, false], [true, false])
    func reader(hasLock: Bool, isClean: Bool) throws {
        let machine = try machine(hasLock: hasLock, isClean: isClean)
        let before = machine.files.map(\.bytes)
        var options = machine.options()
        options.environment = environment(machine)
        let reader = try StoreReader.open(at: path, options: options)
        let snapshot = try reader.snapshot()
        // After a power cut the lock may say less of what was durable than the log holds (R1).
        if isClean { #expect(snapshot.count() == 40) }
        for number in 0..<UInt64(snapshot.count()) {
            try #expect(snapshot.get(number) == Array("value \(number)".utf8))
        }
        #expect(try !reader.refresh())
        let statistics = try reader.statistics
        #expect(statistics.index.keyCount == snapshot.count())
        if isClean { #expect(statistics.liveByteCount > 0 && statistics.segments.count > 1) }
        #expect(machine.files.map(\.bytes) == before)
        if hasLock {
            // It can't say what it needs, so that nobody may write.
            #expect {
                try Store.open(at: path, options: machine.options())
            } throws: {
                ($0 as? StoreError)?.code == .locked
            }
        }
        reader.close()
        let store = try Store.open(at: path, options: machine.options())
        try #expect(store.snapshot().count() == 40)
        #expect {
            try StoreReader.open(at: path, options: options)
        } throws: {
            ($0 as? StoreError)?.code == .permissionDenied
        }
        try store.close()
    }

    @Test("a process that has it open through another mount is noticed")
    func openElsewhere() throws {
        let machine = try machine(hasLock: true, isClean: true)
        let lock = try machine.fileSystem.lock(path + "/" + StoreFiles.lock)
        #expect {
            try StoreVerifier.verify(path: path, environment: environment(machine))
        } throws: {
            ($0 as? StoreError)?.code == .locked
        }
        lock.release()
    }

    @Test("damage is found there, and neither a repair nor opening for writing is tried")
    func refused() throws {
        let machine = try machine(hasLock: true, isClean: true)
        let segment = try #require(machine.files.first { $0.name.hasSuffix(".segment") })
        machine.disk.corrupt(path + "/" + segment.name, at: 300)
        let environment = environment(machine)
        let report = try StoreVerifier.verify(path: path, environment: environment)
        #expect(!report.isSound)
        #expect {
            try StoreRepair.repair(path: path, environment: environment)
        } throws: {
            ($0 as? StoreError)?.code == .permissionDenied
        }
        var options = machine.options()
        options.environment = environment
        #expect {
            try Store.open(at: path, options: options)
        } throws: {
            ($0 as? StoreError)?.code == .permissionDenied
        }
    }
}

/// A file system as a mount shows it that is for reading only.
private final class ReadOnlyFileSystem: FileSystem, @unchecked Sendable {
    private static let code: CInt = 30
    private let base: FileSystem

    init(_ base: FileSystem) { self.base = base }

    private func refusal(_ operation: String, _ path: String) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: Self.code)
    }

    override func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> File {
        if mode != .readOnly, base.exists(path) || mode == .createNew {
            throw refusal("open", path)
        }
        return try base.open(path, mode)
    }

    override func exists(_ path: String) -> Bool { base.exists(path) }

    override func list(_ directory: String) throws(FileSystemError) -> [String] {
        try base.list(directory)
    }

    override func identity(of path: String) throws(FileSystemError) -> FileIdentity {
        try base.identity(of: path)
    }

    override func openDirectory(_ path: String) throws(FileSystemError) -> OpenDirectory {
        try base.openDirectory(path)
    }

    override func rename(from source: String, to target: String) throws(FileSystemError) {
        throw refusal("rename", source)
    }

    override func remove(_ path: String) throws(FileSystemError) { throw refusal("remove", path) }

    override func freeBytes(at path: String) throws(FileSystemError) -> UInt64 { 0 }

    override func lock(_ path: String) throws(FileSystemError) -> FileLock {
        guard base.exists(path) else { throw refusal("lock", path) }
        return NamelessLock(try base.lock(path), refusal("write", path))
    }

    /// A lock whose file can't be written to.
    private final class NamelessLock: FileLock, @unchecked Sendable {
        private let base: FileLock
        private let refusal: FileSystemError

        init(_ base: FileLock, _ refusal: FileSystemError) {
            self.base = base
            self.refusal = refusal
        }

        override func release() { base.release() }

        override func setHolder(_ text: String) throws(FileSystemError) { throw refusal }
    }
}
