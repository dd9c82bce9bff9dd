import Foundation
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

extension Snapshot {
    /// A dump in memory.
    func dumpBytes(_ keyspaces: [Keyspace]? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try dump(keyspaces: keyspaces) { bytes.append(contentsOf: $0) }
        return bytes
    }
}

extension Store {
    /// Loads a dump that is in memory, in pieces of a few bytes or many.
    @discardableResult
    static func load(
        at path: String, _ dump: [UInt8], pieceByteCount: Int = 1 << 20
    ) throws -> DumpSummary {
        var position = 0
        return try load(at: path) { target in
            let count = min(target.count, pieceByteCount, dump.count - position)
            target.copyBytes(from: dump[position..<position + count])
            position += count
            return count
        }
    }
}

@Suite("Dump and load")
struct DumpTests {
    private let directory: TemporaryDirectory

    init() throws { directory = TemporaryDirectory() }

    /// A value of one of the kinds that text forms get wrong.
    private func awkwardBytes(_ generator: inout SeededRandom) -> [UInt8] {
        let count = Int.random(in: 0...40, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return generator.bytes(count)
        case 1: return (0..<count).map { _ in UInt8.random(in: 0..<0x80, using: &generator) }
        case 2: return Array("zażółć \"gęślą\" \\ jaźń 🪨\n\t\r/\u{2028}\u{feff}".utf8)
        case 3: return [0xed, 0xa0, 0x80] + generator.bytes(count % 4)
        case 4: return Array("e\u{301} é \u{0}\u{7f}".utf8)
        default: return [0xf4, 0x90, 0x80, 0x80, 0xc0, 0xaf]
        }
    }

    @Test("random bytes come back as they were, with keyspaces of every kind", arguments: 1...12)
    func roundTrip(seed: Int) throws {
        var generator = SeededRandom(seed: UInt64(seed))
        let source = try Store.open(at: directory.path("source"))
        try source.write { transaction in
            let gone = try transaction.keyspace(named: "gone")
            try transaction.put("a", forKey: "b", in: gone)
            let named = try transaction.keyspace(named: "na\"me\\ ü")
            let derived = try transaction.keyspace(named: "derived", kind: .derived)
            for _ in 0..<300 {
                let key = awkwardBytes(&generator)
                let keyspace = Bool.random(using: &generator) ? Keyspace.default : named
                try transaction.put(awkwardBytes(&generator), forKey: key, in: keyspace)
                let number = UInt64.random(in: 0 ... .max, using: &generator)
                _ = try key.withBytes { (bytes) throws(StoreError) in
                    try transaction.indexPut(bytes, value: number, in: derived.identifier)
                }
            }
            try transaction.dropKeyspace(gone)
            _ = try transaction.keyspace(named: "gone")
        }
        let dump = try source.snapshot().dumpBytes()
        let pieceByteCount = Int.random(in: 1...500, using: &generator)
        try Store.load(at: directory.path("copy"), dump, pieceByteCount: pieceByteCount)
        let copy = try Store.open(at: directory.path("copy"))
        #expect(copy.allKeyspaces == source.allKeyspaces)
        try expectEqual(source, copy)
        // What the copy dumps is the same but for the header.
        let again = try copy.snapshot().dumpBytes()
        let lines = { (bytes: [UInt8]) in bytes.split(separator: 0x0a).dropFirst().dropLast() }
        #expect(lines(again) == lines(dump))
        try source.close()
        try copy.close()
        #expect(try StoreVerifier.verify(path: directory.path("copy")).isSound)
    }

    private func expectEqual(_ left: Store, _ right: Store) throws {
        let snapshots = try (left.snapshot(), right.snapshot())
        for keyspace in left.allKeyspaces {
            #expect(snapshots.0.count(in: keyspace) == snapshots.1.count(in: keyspace))
            var first = snapshots.0.access.cursor(in: keyspace.identifier)
            var second = snapshots.1.access.cursor(in: keyspace.identifier)
            var isValid = try first.seekToFirst()
            _ = try second.seekToFirst()
            while isValid {
                let keys = (first.withKey { Array($0) }, second.withKey { Array($0) })
                try #require(keys.0 == keys.1)
                if keyspace.kind == .derived {
                    #expect(first.indexValue == second.indexValue)
                } else {
                    #expect(try Array(first.value()) == Array(second.value()))
                }
                isValid = try first.next()
                _ = try second.next()
            }
        }
    }

    @Test("a dump shows one commit, whatever is written at the same time")
    func consistent() throws {
        let store = try Store.open(at: directory.path("store"))
        try store.write { for key in 0..<5000 { try $0.put("old", forKey: UInt64(key)) } }
        let snapshot = try store.snapshot()
        var bytes: [UInt8] = []
        var pieceCount = 0
        let summary = try snapshot.dump { piece in
            bytes.append(contentsOf: piece)
            pieceCount += 1
            try store.write {
                try $0.put("new", forKey: UInt64(4999))
                try $0.delete(UInt64(4998))
            }
        }
        #expect(pieceCount >= 2)
        #expect(summary.recordCount == 5000)
        #expect(summary.lsn == snapshot.lsn)
        try Store.load(at: directory.path("copy"), bytes)
        let copy = try Store.open(at: directory.path("copy"))
        #expect(try copy.get(UInt64(4999)) == Array("old".utf8))
        #expect(try copy.get(UInt64(4998)) == Array("old".utf8))
    }

    @Test("every line is JSON that another parser reads the same way")
    func portable() throws {
        var generator = SeededRandom(seed: 77)
        let store = try Store.open(at: directory.path("store"))
        var expected: [[UInt8]: [UInt8]] = [:]
        try store.write { transaction in
            for _ in 0..<200 {
                let (key, value) = (awkwardBytes(&generator), awkwardBytes(&generator))
                expected[key] = value
                try transaction.put(value, forKey: key)
            }
        }
        let lines = try store.snapshot().dumpBytes().split(separator: 0x0a)
        var found: [[UInt8]: [UInt8]] = [:]
        for line in lines {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            guard object["in"] != nil else { continue }
            func bytes(_ name: String) throws -> [UInt8] {
                if let text = object[name] as? String { return Array(text.utf8) }
                let text = try #require(object[name + "64"] as? String)
                return Array(try #require(Data(base64Encoded: text)))
            }
            found[try bytes("key")] = try bytes("value")
        }
        #expect(found == expected)
    }

    @Test("a dump of one keyspace holds no other, and unknown keyspaces are refused")
    func partial() throws {
        let store = try Store.open(at: directory.path("store"))
        let (one, two) = try store.write { transaction in
            let one = try transaction.keyspace(named: "one")
            let two = try transaction.keyspace(named: "two")
            try transaction.put("1", forKey: "a", in: one)
            try transaction.put("2", forKey: "a", in: two)
            return (one, two)
        }
        let dump = try store.snapshot().dumpBytes([two])
        try Store.load(at: directory.path("copy"), dump)
        let copy = try Store.open(at: directory.path("copy"))
        #expect(copy.keyspaces.map(\.name) == ["default", "two"])
        let loaded = try #require(try copy.keyspace(named: "two"))
        #expect(try copy.get("a", in: loaded) == Array("2".utf8))
        try store.write { try $0.dropKeyspace(one) }
        let snapshot = try store.snapshot()
        #expect(throws: StoreError.self) { try snapshot.dumpBytes([one]) }
    }

    @Test("a derived keyspace that waits to be rebuilt still waits after a load")
    func invalidDerived() throws {
        let store = try Store.open(at: directory.path("store"))
        let derived = try store.write { transaction in
            let derived = try transaction.keyspace(named: "derived", kind: .derived)
            transaction.writer.trees[Int(derived.id)].flags |= TreeFlags.invalid
            return derived
        }
        try Store.load(at: directory.path("copy"), try store.snapshot().dumpBytes())
        let copy = try Store.open(at: directory.path("copy"))
        #expect(copy.openingReport.invalidDerivedKeyspaces == [derived.id])
    }
}
