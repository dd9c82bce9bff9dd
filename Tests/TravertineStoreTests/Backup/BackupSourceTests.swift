import Foundation
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Images of a store that is written, one after the other, and stores that are made of them.
@Suite("Images of open stores")
struct BackupSourceTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = TemporaryDirectory() }

    private func open() throws -> Store {
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.bufferByteCount = 8 << 10
        return try Store.open(at: path, options: options)
    }

    private func fill(_ store: Store, _ keys: Range<Int>, _ value: String) throws {
        for start in stride(from: keys.lowerBound, to: keys.upperBound, by: 50) {
            try store.write(durability: Durability.unsynced) { transaction in
                for key in start..<min(start + 50, keys.upperBound) {
                    let text = value + String(repeating: ".", count: key % 300)
                    try transaction.put(text, forKey: UInt64(key))
                }
            }
        }
        try store.sync()
    }

    private func opened(
        _ image: BackupImage, from source: BackupSource
    ) throws -> [(file: BackupImage.File, opened: BackupSourceFile)] {
        try image.files.map { ($0, try source.open($0)) }
    }

    /// What a store holds that is assembled of the files of an image.
    private func assembled(
        _ image: BackupImage, _ files: [(file: BackupImage.File, opened: BackupSourceFile)]
    ) throws -> [[UInt8]: [UInt8]] {
        let copy = directory.path("copy\(UUID().uuidString)")
        let assembly = try StoreAssembly(at: copy)
        for (file, opened) in files {
            let target = try assembly.makeFile(file)
            try target.write(opened.bytes(0..<file.byteCount), at: 0)
            try target.sync()
        }
        #expect(try assembly.setManifest(image))
        let verified = try assembly.verify()
        #expect(verified.findings.isEmpty, "\(verified.findings)")
        try assembly.finish()
        let store = try Store.open(at: copy)
        #expect(store.openingReport.ignoredTail == nil)
        #expect(store.openingReport.damagedCheckpoints.isEmpty)
        let found = try store.records()
        try store.write { try $0.put("more", forKey: "more") }
        try store.close()
        let report = try StoreVerifier.verify(path: copy, level: .deep)
        #expect(report.findings.isEmpty, "\(report.findings)")
        return found
    }

    @Test("each image holds what was durable when it was taken, through checkpoints and compaction")
    func following() throws {
        let store = try open()
        let source = try BackupSource(of: path)
        for round in 0..<6 {
            try fill(store, 0..<2000, "round \(round)")
            if round == 2 { try store.checkpoint() }
            if round > 2 { try store.compact() }
            if round == 4 { try store.checkpoint() }
            let expected = try store.records()
            #expect(try source.hasNews())
            let image = try source.take()
            #expect(image.lsn == store.log.durableLSN.rawValue)
            let files = try opened(image, from: source)
            try source.release()
            #expect(try !source.hasNews())
            // What happens after it is not in it, also where it is in the same segment.
            try store.write { try $0.put("later", forKey: UInt64(7)) }
            try store.compact()
            #expect(try assembled(image, files) == expected)
        }
        source.close()
        try store.close()
    }

    @Test("the bytes of a file that count never change while it is in an image")
    func unchanging() throws {
        let store = try open()
        let source = try BackupSource(of: path)
        var seen: [String: (mark: UInt64, bytes: [UInt8])] = [:]
        for round in 0..<40 {
            try fill(store, round * 20..<round * 20 + 60, "value")
            if round % 7 == 6 { try store.checkpoint() }
            if round % 9 == 8 { try store.compact() }
            let image = try source.take()
            for (file, opened) in try opened(image, from: source) {
                let bytes = try opened.bytes(0..<file.byteCount)
                if let earlier = seen[file.name] {
                    #expect(earlier.mark == file.mark)
                    #expect(bytes.starts(with: earlier.bytes))
                }
                seen[file.name] = (file.mark, bytes)
            }
            try source.release()
        }
        source.close()
        try store.close()
    }

    @Test("no file is removed while an image is held; between images none is kept")
    func holding() throws {
        let store = try open()
        let source = try BackupSource(of: path)
        try fill(store, 0..<2000, "first")
        let image = try source.take()
        for round in 0..<4 {
            try fill(store, 0..<2000, "round \(round)")
            try store.checkpoint()
            try store.compact()
        }
        for file in image.files {
            #expect(FileManager.default.fileExists(atPath: path + "/" + file.name))
        }
        try source.release()
        try store.compact()
        let left = image.files.filter {
            FileManager.default.fileExists(atPath: path + "/" + $0.name)
        }
        #expect(left.count < image.files.count)
        source.close()
        try store.close()
    }

    @Test("a store that was exchanged is reported, and another source sees the new one")
    func exchanged() throws {
        let store = try open()
        try fill(store, 0..<10, "old")
        let source = try BackupSource(of: path)
        _ = try source.take()
        try source.release()
        try store.close()
        try FileManager.default.removeItem(atPath: path)
        let other = try open()
        try fill(other, 0..<20, "new")
        expectError(.wrongStore) { () throws(StoreError) in _ = try source.hasNews() }
        expectError(.wrongStore) { () throws(StoreError) in _ = try source.take() }
        let next = try BackupSource(of: path)
        let image = try next.take()
        #expect(try assembled(image, opened(image, from: next)).count == 20)
        try other.close()
    }

    @Test(
        "without leave to write the file `lock` it is refused, and keeps no writer from the store",
        arguments: [true, false])
    func unwritableLock(hasLock: Bool) throws {
        let machine = SimulatedMachine(seed: 12)
        let options = machine.options(segmentByteCount: 4096)
        let path = SimulatedMachine.path
        let store = try Store.open(at: path, options: options)
        for key in 0..<5 { try store.write { try $0.put("value", forKey: UInt64(key)) } }
        try store.close()
        var refusalCount = 0
        var call = 0
        var isPastEnd = false
        while !isPastEnd {
            if !hasLock { machine.disk.lose(path + "/" + StoreFiles.lock) }
            var environment = machine.environment
            environment.fileSystem = machine.disk.startBeside()
            machine.disk.setFault(.noPermission, atCall: call)
            let start = machine.disk.callCount
            let opened = Result { try BackupSource(of: path, environment: environment) }
            isPastEnd = machine.disk.callCount - start <= call
            machine.disk.clearFaults()
            // A source without a slot would see nothing of this, and the writer nothing of it.
            let writer = try Store.open(at: path, options: options)
            try writer.write { try $0.put("more", forKey: UInt64(call)) }
            switch opened {
            case .success(let source):
                #expect(try source.hasNews(), "call \(call)")
                #expect(try source.take().lsn == writer.log.durableLSN.rawValue, "call \(call)")
                try source.release()
                source.close()
            case .failure(let error):
                refusalCount += 1
                #expect((error as? StoreError)?.code == .permissionDenied, "call \(call)")
            }
            try writer.close()
            call += 1
        }
        #expect(refusalCount > 0 && call > refusalCount)
    }

    @Test("another file `lock` under a source is reported, also where there was none in between")
    func otherLock() throws {
        let store = try open()
        try fill(store, 0..<10, "old")
        try store.close()
        let source = try BackupSource(of: path)
        let lock = path + "/" + StoreFiles.lock
        try FileManager.default.moveItem(atPath: lock, toPath: lock + ".old")
        defer { source.close() }
        expectError(.wrongStore) { () throws(StoreError) in _ = try source.hasNews() }
        try FileManager.default.copyItem(atPath: lock + ".old", toPath: lock)
        expectError(.wrongStore) { () throws(StoreError) in _ = try source.hasNews() }
    }

    private func expectError(_ code: StoreError.Code, _ body: () throws(StoreError) -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.code == code)
    }

    @Test("names that are no segment's and no page file's are no files of an image")
    func names() {
        for name in ["lock", "manifest", "../0000000001.segment", "0000000000.segment", "", "1"] {
            #expect(BackupImage.File(name: name, mark: 1, byteCount: 1) == nil)
        }
        let file = BackupImage.File(name: "0000000012.pages", mark: 1, byteCount: 1)
        #expect(file?.number == 12 && file?.isSegment == false)
    }

    @Test("a manifest that is not that of the files is refused")
    func otherManifest() throws {
        let store = try open()
        try fill(store, 0..<10, "value")
        let source = try BackupSource(of: path)
        var image = try source.take()
        image.lsn -= 1
        let assembly = try StoreAssembly(at: directory.path("copy"))
        expectError(.wrongStore) { () throws(StoreError) in _ = try assembly.setManifest(image) }
        assembly.abandon()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(""))
        #expect(names == ["store"])
        try store.close()
    }

    @Test(
        "whatever fails while a store is assembled, there is nothing at its path, or all of it",
        arguments: [DiskFault.crashBefore, .crashDuring, .inputOutput, .noSpace])
    func everyCall(fault: DiskFault) throws {
        let machine = SimulatedMachine(seed: 11)
        let options = machine.options(segmentByteCount: 4096)
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        for key in 0..<30 {
            try store.write { try $0.put("value \(key)", forKey: UInt64(key)) }
            if key == 15 { try store.checkpoint() }
        }
        let expected = try store.records()
        try store.close()
        let source = try BackupSource(of: SimulatedMachine.path, environment: machine.environment)
        let image = try source.take()
        let contents = try image.files.map { try source.open($0).bytes(0..<$0.byteCount) }
        source.close()
        var call = 0
        var isPastEnd = false
        while !isPastEnd {
            machine.disk.setFault(fault, atCall: call)
            let start = machine.disk.callCount
            let done = Result { try assemble(image, contents, on: machine) }
            isPastEnd = machine.disk.callCount - start <= call
            machine.disk.clearFaults()
            machine.crashAndRestart()
            let isThere = machine.disk.contents(of: "/copy/manifest") != nil
            if case .success = done { #expect(isThere, "call \(call)") }
            if isThere {
                let copy = try Store.open(
                    at: "/copy", options: machine.options(segmentByteCount: 4096))
                #expect(try copy.records() == expected, "call \(call)")
                try copy.close()
                machine.disk.loseDirectory("/copy")
            }
            call += 1
        }
        #expect(call > 20, "the faults reach the assembly")
    }

    private func assemble(
        _ image: BackupImage, _ contents: [[UInt8]], on machine: SimulatedMachine
    ) throws {
        let assembly = try StoreAssembly(at: "/copy", environment: machine.environment)
        do {
            for (file, bytes) in zip(image.files, contents) {
                let target = try assembly.makeFile(file)
                try target.write(bytes, at: 0)
                try target.sync()
            }
            #expect(try assembly.setManifest(image))
            try assembly.finish()
        } catch {
            assembly.abandon()
            throw error
        }
    }
}
