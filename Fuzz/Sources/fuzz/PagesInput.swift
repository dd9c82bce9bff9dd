@testable import OrderedIndex
@testable import SegmentLog
@testable import TravertineStore

/// Inputs that are page files.
enum PagesInput {
    /// The first byte: bit 0 seals, bit 1 reads through a mapping. Then a page file.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var file = Sealing(Array(input.dropFirst()))
        if way & 1 == 1 {
            for (place, byte) in PageFileHeader.magic.enumerated() where file.bytes.count > 4096 {
                file.bytes[place] = byte
            }
            file.store(LogInput.identity.uuidHigh, at: 16)
            file.store(LogInput.identity.uuidLow, at: 24)
            file.sealPageFile()
        }
        let name = StoreFiles.pageFile(max(file.load(40, UInt32.self) & 0xff, 1))
        LogInput.inspect(name, [name: file.bytes])
        let entry = Manifest.CheckpointEntry(
            file: max(file.load(40, UInt32.self) & 0xff, 1), lsn: LSN(rawValue: file.load(56)),
            seed: file.load(48), descriptorCRC: file.load(80))
        let environment = InputMachine([name: file.bytes]).environment
        let pages = try PageFileReader.open(
            entry, directory: InputMachine.path, identity: LogInput.identity,
            fileSystem: environment.fileSystem
        ).get()
        try use(pages, way & 2 == 0 ? .verified : .mapped)
    }

    /// Reads all trees in both directions, looks keys up, and changes the trees.
    private static func use(_ pages: PageFileReader, _ readMode: ReadMode) throws {
        let index = Index()
        let attached = try pages.attach(to: index, readMode: readMode)
        defer { withExtendedLifetime(attached) {} }
        guard pages.descriptor.trees.count < 64 else { return }
        index.install(trees: pages.descriptor.trees, version: 1, tag: 1)
        var keys: [[UInt8]] = []
        for (place, tree) in pages.descriptor.trees.enumerated() {
            _ = try? index.checkInvariants(tree)
            keys += (try? walk(index, tree)) ?? []
            for key in keys.prefix(50) {
                _ = try? key.withUnsafeBytes { try index.reader.value(forKey: $0, in: tree) }
            }
            // What lies, with right checksums, about the order of keys is changed like any other.
            let problems = (try? index.checkInvariants(tree)) ?? ["unreadable"]
            if problems.isEmpty { try change(index, UInt32(place), keys) }
        }
    }

    private static func walk(_ index: Index, _ tree: Tree) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = index.reader.makeCursor(over: tree)
        var isValid = try cursor.seekToFirst()
        while isValid, keys.count < 5000 {
            keys.append(cursor.withKey { Array($0) })
            isValid = try cursor.next()
        }
        var count = 0
        isValid = try cursor.seekToLast()
        while isValid, count < 5000 {
            count += 1
            isValid = try cursor.previous()
        }
        return keys
    }

    private static func change(_ index: Index, _ tree: UInt32, _ keys: [[UInt8]]) throws {
        let writer = index.beginWrite()
        do {
            for (place, key) in keys.enumerated() {
                try key.withUnsafeBytes { key in
                    if place % 3 == 0 { _ = try writer.remove(key, in: Int(tree)) }
                    if place % 3 == 1 { _ = try writer.insert(key, value: 7, in: Int(tree)) }
                }
                let longer = key.prefix(500) + [UInt8(place & 255)]
                try Array(longer).withUnsafeBytes {
                    _ = try writer.insert($0, value: 9, in: Int(tree))
                }
            }
        } catch {
            writer.rollback()
            throw error
        }
        index.publish(writer.commit(tag: 2))
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        let problems = try index.checkInvariants(pin.root.pointee.trees[Int(tree)])
        if !problems.isEmpty { StoreUse.fail("a changed tree is not well formed: \(problems)") }
    }

    static func seeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for (rounds, keyCount) in [(1, 2), (2, 40), (1, 300)] {
            let files = try StoreUse.sample(rounds: rounds, keyCount: keyCount)
            let pages = files.filter { $0.key.hasSuffix(".pages") }.sorted { $0.key < $1.key }
            if let bytes = pages.last?.value { seeds += [[1] + bytes, [3] + bytes] }
        }
        return seeds
    }
}
