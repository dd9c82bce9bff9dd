import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import StoreMaintenance
@testable import Travertine
@testable import TravertineStore

@Suite("Verification of full-text indexes")
struct FullTextVerificationTests {
    /// What is done to an index.
    enum Damage: String, CaseIterable {
        case missing, superfluous, otherCount, otherLength, otherTotal
    }

    /// The key of the object whose primary key is 16.
    private static let object: UInt64 = 1 << 63 | 16

    private let directory = TemporaryDirectory()
    private var path: String { directory.url.path }

    private func fill() throws {
        let realm = try directory.open([Note.self])
        try realm.write {
            for id in 0..<60 { realm.add(Note(id, "common text \(id % 7) of stone n\(id)")) }
        }
    }

    /// Changes one entry of each full-text index.
    private func make(_ damage: Damage) throws {
        let store = try Store.open(at: path)
        let records = try #require(try store.keyspace(named: StoredSchema.keyspaceName))
        try store.write { transaction in
            let loaded = try StoredSchema.load(transaction.access, keyspace: records.identifier)
            let type = try #require(loaded?.type(named: "Note"))
            let indexes = type.indexes.filter { $0.kind.tokenizer != nil }
            #expect(indexes.count == 3)
            for index in indexes {
                let tokenizer = try #require(index.kind.tokenizer)
                if index.kind.hasPositions,
                    try changePosting(index.keyspace, tokenizer, damage, transaction)
                {
                    continue
                }
                try change(index.keyspace, tokenizer, damage, transaction)
            }
        }
        try store.checkpoint()
        try store.close()
    }

    private func change(
        _ keyspace: KeyspaceID, _ tokenizer: FullTextTokenizer, _ damage: Damage,
        _ transaction: WriteTransaction
    ) throws {
        var key = IndexKey()
        func set(token: String) { Array(token.utf8).withUnsafeBytes { key.set(token: $0) } }
        var value: UInt64?
        switch damage {
        case .missing, .otherCount:
            set(
                token: ["sto", "s", "stone"][
                    tokenizer == .trigrams ? 0 : tokenizer == .words ? 2 : 1])
            key.append(blockOf: Self.object, shift: FullTextEntries.blockShift)
            if damage == .otherCount { value = 0x7111_1111_1111_1111 }
        case .superfluous:
            set(token: "zzz")
            key.append(blockOf: Self.object, shift: FullTextEntries.blockShift)
            value = 1
        case .otherLength:
            key.set(statistic: FullTextEntries.lengths)
            key.append(blockOf: Self.object, shift: FullTextEntries.lengthShift)
            value = 1
        case .otherTotal:
            key.set(statistic: FullTextEntries.textCount)
            value = 61
        }
        try key.withBytes { (key) throws(StoreError) in
            if let value {
                let old = try transaction.indexPut(key, value: value, in: keyspace)
                #expect((old == nil) == (damage == .superfluous) && old != value)
            } else {
                #expect(try transaction.indexDelete(key, in: keyspace) != nil)
            }
        }
    }

    /// Changes the posting of one token and object; false if the damage is to another entry.
    private func changePosting(
        _ keyspace: KeyspaceID, _ tokenizer: FullTextTokenizer, _ damage: Damage,
        _ transaction: WriteTransaction
    ) throws -> Bool {
        let postings = PostingsBatch()
        func set(_ token: String, count: UInt64, _ positions: [UInt8]) {
            var key = IndexKey()
            Array(token.utf8).withUnsafeBytes { key.set(token: $0) }
            key.append(Self.object)
            positions.withUnsafeBytes { key.append(raw: $0) }
            key.withBytes { postings.add($0, count: count, in: keyspace) }
        }
        let token = tokenizer == .words ? "stone" : "s"
        switch damage {
        case .missing: set(token, count: 0, [])
        case .superfluous: set("zzz", count: 1, [3])
        case .otherCount: set(token, count: 2, [3, 100])
        default: return false
        }
        try transaction.store(postings)
        return true
    }

    @Test(
        "an entry that is missing, superfluous or wrong is found, and repaired",
        arguments: Damage.allCases)
    func damage(damage: Damage) throws {
        try fill()
        #expect(try ObjectVerifier.verify(path: path).findings.isEmpty)
        try make(damage)
        let report = try ObjectVerifier.verify(path: path)
        let text = report.findings.map(\.message).joined(separator: "\n")
        #expect(report.differingKeyspaces.count == 3 && report.findings.count == 3, "\(text)")
        for name in ["text", "parts", "signs"] {
            #expect(text.contains("the full-text index of '\(name)'"), "\(text)")
        }
        let wanted =
            switch damage {
            case .missing: "1 entries missing"
            case .superfluous: "1 entries superfluous"
            default: "1 entries with another value"
            }
        if damage == .otherCount {
            // A posting is looked at as a whole.
            let changed = "1 entries missing, 1 entries superfluous"
            #expect(text.components(separatedBy: changed).count == 3, "\(text)")
            #expect(text.components(separatedBy: wanted).count == 2, "\(text)")
        } else {
            #expect(text.components(separatedBy: wanted).count == 4, "\(text)")
        }
        #expect(try ObjectRepair.rebuild(report, in: path) != nil)
        #expect(try ObjectVerifier.verify(path: path).findings.isEmpty)
        let realm = try directory.open([Note.self])
        #expect(try realm.brokenInvariants() == [])
        #expect(realm.objects(Note.self).where { $0.text.fullText("stone") }.count == 60)
    }
}
