import TestSupport
import Testing

@testable import OrderedIndex

/// A page file in memory; its bytes are spoilt when it is thrown away, so that nobody reads it
/// unnoticed.
private final class MemoryPageFile {
    let bytes: UnsafeMutableRawBufferPointer
    let pageCount: UInt32
    let seed: UInt64
    var birth: UInt64 = 0

    init(_ run: [UInt8], seed: UInt64) {
        bytes = .allocate(byteCount: max(1, run.count), alignment: 4096)
        bytes.copyBytes(from: run)
        pageCount = UInt32(run.count / 2048)
        self.seed = seed
    }

    deinit {
        for index in bytes.indices { bytes[index] = 0xa5 }
        bytes.deallocate()
    }

    func attach(to index: Index, number: UInt32) {
        index.attachPageFile(
            number: number, pages: UnsafeRawPointer(bytes.baseAddress!), pageCount: pageCount,
            seed: seed, load: nil)
    }
}

/// A random history of one index with its page files, and a model of every version that is
/// pinned.
final class PagedHistory {
    let seed: UInt64
    var random: SeededRandom
    let index = Index.make(treeCount: 2)
    var model = IndexModel()
    /// The files of the newest durable image, and those that the index has.
    private var durable: [UInt32: MemoryPageFile] = [:]
    private var attached: [UInt32: (file: MemoryPageFile, retirement: UInt64?)] = [:]
    private var nextNumber: UInt32 = 1
    var snapshots: [(pin: IndexPin, model: IndexModel)] = []
    var consolidationCount = 0
    /// What the nodes of all committed versions said under their identities, if that is noted.
    private let identities: NotedIdentities?

    init(seed: UInt64, notesIdentities: Bool = false) {
        self.seed = seed
        identities = notesIdentities ? NotedIdentities() : nil
        random = SeededRandom(seed: seed)
    }

    func change(_ count: Int) throws {
        try index.write { (writer: IndexWriter) throws -> Void in
            for _ in 0..<count {
                let number = random.below(3000)
                // Long keys make a third level.
                let padding = [UInt8](repeating: 7, count: seed & 1 == 0 ? 0 : 150)
                let key = Array("\(number % 7)/\(number)".utf8) + padding
                if random.below(3) == 0 {
                    try writer.remove(key, in: 1)
                    model.values[key] = nil
                } else {
                    let value = random.next()
                    try writer.insert(key, value, in: 1)
                    model.values[key] = value
                }
            }
        }
        try note()
        index.expectSoundBookkeeping("seed \(seed)")
        if random.below(3) == 0 { snapshots.append((index.pin(note: 1), model)) }
        if random.below(3) == 0, !snapshots.isEmpty {
            let snapshot = snapshots.remove(at: random.below(snapshots.count))
            try check(snapshot)
            index.unpin(snapshot.pin)
        }
    }

    /// Changes with savepoints that are released or rolled back; a third is rolled back as a whole.
    func changeBySavepoints() throws {
        let (writer, start) = (index.beginWrite(), model)
        var open: [(savepoint: IndexWriter.Savepoint, model: IndexModel)] = []
        for _ in 0..<60 {
            switch random.below(6) {
            case 0: open.append((writer.savepoint(), model))
            case 1 where !open.isEmpty:
                let position = random.below(open.count)
                writer.rollback(to: open[position].savepoint)
                model = open[position].model
                open.removeSubrange(position...)
            case 2 where !open.isEmpty:
                let position = random.below(open.count)
                writer.release(open[position].savepoint)
                open.removeSubrange(position...)
            default:
                let key = Array("\(random.below(7))/\(random.below(3000))".utf8)
                if random.below(3) == 0 {
                    try writer.remove(key, in: 1)
                    model.values[key] = nil
                } else {
                    let value = random.next()
                    try writer.insert(key, value, in: 1)
                    model.values[key] = value
                }
            }
        }
        if random.below(3) == 0 {
            writer.rollback()
            model = start
        } else {
            index.publish(writer.commit(tag: 0))
        }
        try note()
    }

    /// Moves what is left in chunks that are mostly free, with commits between the slices.
    func evacuate() throws -> Bool {
        index.releaseFreeMemory()
        guard index.beginEvacuation() else { return false }
        var adoption = PageAdoption(moved: [:], evacuates: true)
        while !adoption.isDone {
            let writer = index.beginWrite()
            if writer.adopt(&adoption, nodeCount: 2) {
                index.publish(writer.commit(tag: 0))
            } else {
                writer.rollback()
            }
            try note()
            if random.below(3) == 0 { try change(3) }
        }
        index.endEvacuation()
        return true
    }

    /// Notes what the nodes of the newest version, and of one that is pinned, say.
    private func note() throws {
        guard let identities else { return }
        try index.withPin { try identities.note($0.pointee.tree(1), index.reader) }
        if let snapshot = snapshots.first, random.below(4) == 0 {
            try identities.note(snapshot.pin.root.pointee.tree(1), index.reader)
        }
        #expect(identities.contradictions.isEmpty, "seed \(seed)")
    }

    /// The number of nodes that were noted.
    var notedCount: Int { identities?.count ?? 0 }

    func check(_ snapshot: (pin: IndexPin, model: IndexModel)) throws {
        try index.expect(
            snapshot.pin.root.pointee.tree(1), toBe: snapshot.model, "seed \(seed)")
    }

    /// Writes an image that refers to some of the files before; one in five is lost.
    func writeImage() throws {
        let pin = index.pin(note: 2)
        let version = pin.root.pointee.version
        index.beginImage()
        let expected = model
        let live = try index.livePageCounts(of: pin.root)
        let kept = durable.keys.filter { live[$0] ?? 0 > 0 && random.below(4) > 0 }
        var run: [UInt8] = []
        let seed = random.next()
        let number = nextNumber
        nextNumber += 1
        let written = try index.writePages(
            of: pin.root, file: number, seed: seed, keepingPagesOf: Set(kept),
            isLeavingFiles: kept.count < durable.count, notesPages: true
        ) { run += $0 }
        index.unpin(pin)
        if random.below(5) == 0 { return }
        durable = durable.filter { kept.contains($0.key) }
        durable[number] = MemoryPageFile(run, seed: seed)
        try checkReopened(written.trees, expected)
        // Commits between the image and its adoption.
        if random.below(2) == 0 { try change(20) }
        if random.below(6) == 0 { try consolidate() }
        try adopt(written.moved, version)
    }

    func checkReopened(_ trees: [Tree], _ expected: IndexModel) throws {
        let reopened = Index()
        for (number, file) in durable { file.attach(to: reopened, number: number) }
        reopened.install(trees: trees, version: 1, tag: 0)
        try reopened.expect(trees[1], toBe: expected, "seed \(seed), reopened")
    }

    /// Fills the leaves, pages among them, with commits between the slices.
    func consolidate() throws {
        var consolidation = LeafConsolidation()
        while true {
            try index.withPin { consolidation.findNext(in: $0, index.reader) }
            if consolidation.isDone { break }
            if random.below(4) == 0 { try change(3) }
            let writer = index.beginWrite()
            if writer.consolidate(&consolidation) {
                index.publish(writer.commit(tag: 0))
                consolidationCount += 1
            } else {
                writer.rollback()
            }
            if random.below(3) == 0 { try change(3) }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try index.expect(root.pointee.tree(1), toBe: model, "seed \(seed), consolidated")
        }
    }

    func adopt(_ moved: [UInt64: UInt64], _ version: UInt64) throws {
        for (number, file) in durable where attached[number] == nil {
            file.birth = version + 1
            file.attach(to: index, number: number)
            attached[number] = (file, nil)
        }
        let leafFiles = random.below(3) == 0 ? [] : Set(durable.keys)
        var adoption = PageAdoption(
            moved: moved, leafFiles: leafFiles,
            leafVersionMax: version - UInt64(random.below(3)), leafCount: random.below(80))
        while !adoption.isDone {
            let writer = index.beginWrite()
            if writer.adopt(&adoption, nodeCount: 1 + random.below(3)) {
                index.publish(writer.commit(tag: 0))
                try note()
            } else {
                writer.rollback()
            }
            if random.below(3) == 0 { try change(3) }
        }
        for number in attached.keys where durable[number] == nil {
            let known = attached[number]?.retirement
            attached[number]?.retirement = known ?? index.newestVersion
        }
        for (number, entry) in attached {
            guard let retirement = entry.retirement else { continue }
            if retirement > entry.file.birth && index.isHeld(entry.file.birth..<retirement) {
                continue
            }
            index.detachPageFile(number: number)
            attached[number] = nil
        }
        index.releaseFreeMemory()
        index.expectSoundBookkeeping("seed \(seed), adopted")
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try index.expect(root.pointee.tree(1), toBe: model, "seed \(seed), adopted")
        }
    }
}
