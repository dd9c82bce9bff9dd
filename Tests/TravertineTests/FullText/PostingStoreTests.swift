import Foundation
import RealmSwift
import StoreMaintenance
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Stores with postings")
struct PostingStoreTests {
    private func makeStore(_ directory: TemporaryDirectory) throws -> KeyspaceID {
        let realm = try directory.open([Posted.self])
        try realm.write {
            for id in 0..<500 {
                let many = id == 77 ? String(repeating: " mill", count: 200) : ""
                realm.add(Posted(id, "old town \(id % 9)" + many))
            }
        }
        let table = realm.session.table(of: Posted.self)
        let slot = try #require(table.slot(named: "text"))
        return try #require(table.rules.indexes.first { $0.slots == [slot] }).keyspace
    }

    /// Changes entries as no program does that knows them.
    private func edit(
        _ directory: TemporaryDirectory, _ body: (WriteTransaction) throws -> Void
    ) throws {
        let store = try Store.open(at: directory.url.path)
        let transaction = try store.beginWrite()
        try body(transaction)
        try transaction.commit()
        try store.close()
    }

    private func keys(
        _ transaction: WriteTransaction, _ keyspace: KeyspaceID, of token: String
    ) throws -> [(key: [UInt8], value: UInt64)] {
        var found: [(key: [UInt8], value: UInt64)] = []
        var cursor = transaction.access.cursor(in: keyspace)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let key = cursor.withKey { Array($0) }
            if key.starts(with: token.utf8) { found.append((key, cursor.indexValue)) }
            isValid = try cursor.next()
        }
        return found
    }

    private func put(
        _ transaction: WriteTransaction, _ keyspace: KeyspaceID, _ key: [UInt8], _ value: UInt64?
    ) throws {
        _ = try key.withBytes { (key) throws(StoreError) in
            if let value {
                _ = try transaction.indexPut(key, value: value, in: keyspace)
            } else {
                _ = try transaction.indexDelete(key, in: keyspace)
            }
        }
    }

    /// What is wrong with an index, and what a verification says of it.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case missing, position, divided, bytes, apart

        var testDescription: String { rawValue }
    }

    @Test("fsck finds what is wrong with postings, and repairs it", arguments: Damage.allCases)
    func repair(damage: Damage) throws {
        let directory = TemporaryDirectory()
        let keyspace = try makeStore(directory)
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
        try edit(directory) { transaction in
            let entries = try keys(transaction, keyspace, of: "town")
            #expect(entries.count > 2)
            var (key, value) = entries[0]
            switch damage {
            case .missing: try put(transaction, keyspace, key, nil)
            case .position:
                try put(transaction, keyspace, key, nil)
                key[key.count - 1] += 1
                try put(transaction, keyspace, key, value)
            case .divided:
                // The same postings in two entries, of which each has room for both.
                let word = try keys(transaction, keyspace, of: "mill").first { $0.key[4] == 0 }
                let (whole, count) = try #require(word)
                try put(transaction, keyspace, whole, nil)
                var list = PostingList()
                var entry = PostingEntry()
                let isRead = whole.withUnsafeBytes {
                    list.append(&entry, $0, at: 6, of: .half(isUpper: true), count)
                }
                #expect(isRead && whole[5] == 25)
                let range = PostingRange(around: list.postings[0].object, level: 8)
                var half = IndexKey()
                Array("mill".utf8).withUnsafeBytes { PostingFormat.set(&half, token: $0, range) }
                list.append(0..<list.postings.count, of: range, to: &half)
                try put(transaction, keyspace, half.bytes, count)
            case .bytes:
                try put(transaction, keyspace, key, nil)
                try put(transaction, keyspace, Array(key.dropLast(3)), value)
            case .apart:
                let apart = try keys(transaction, keyspace, of: "mill").filter { $0.key[4] == 1 }
                #expect(apart.count == 5)
                try put(transaction, keyspace, apart[3].key, nil)
            }
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.count == 1, "\(report.findings)")
        #expect(report.findings.first?.message.contains("full-text index of 'text'") == true)
        if damage == .divided {
            #expect(report.findings.first?.message.contains("in other entries") == true)
        }
        _ = try DeepVerification.repair(path: directory.url.path)
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
        let realm = try directory.open([Posted.self])
        #expect(try realm.brokenInvariants() == [])
        #expect(realm.objects(Posted.self).where { $0.text.fullText("\"old town\"") }.count == 500)
    }

    @Test("an entry that is no posting is reported by a search, and a change of it fails")
    func damagedEntry() throws {
        let directory = TemporaryDirectory()
        let keyspace = try makeStore(directory)
        try edit(directory) { transaction in
            for (key, value) in try keys(transaction, keyspace, of: "old") {
                try put(transaction, keyspace, key, nil)
                try put(transaction, keyspace, Array(key.prefix(20)), value)
            }
        }
        let realm = try directory.open([Posted.self])
        let table = realm.session.table(of: Posted.self)
        let slot = try #require(table.slot(named: "text"))
        let index = try #require(FullTextIndex(of: slot, in: table, .words))
        let unit = FullTextPattern.Unit(bytes: Array("old".utf8))
        let error = try #require(throws: StoreError.self) {
            _ = try index.postings(of: unit, try realm.session.access)
        }
        #expect(error.message.contains("fsck"))
        #expect(throws: (any Error).self) {
            try realm.write { realm.object(ofType: Posted.self, forPrimaryKey: 3)?.text = "gone" }
        }
        #expect(realm.object(ofType: Posted.self, forPrimaryKey: 3)?.text?.hasPrefix("old") == true)
    }

    @Test("entries that say they have any number of objects are planned with, and then refused")
    func wrongNumbers() throws {
        let directory = TemporaryDirectory()
        let keyspace = try makeStore(directory)
        try edit(directory) { transaction in
            let entries = try keys(transaction, keyspace, of: "old")
            #expect(entries.count > 2)
            for (key, _) in entries { try put(transaction, keyspace, key, .max) }
        }
        let realm = try directory.open([Posted.self])
        let table = realm.session.table(of: Posted.self)
        let slot = try #require(table.slot(named: "text"))
        let index = try #require(FullTextIndex(of: slot, in: table, .words))
        let unit = FullTextPattern.Unit(bytes: Array("old".utf8))
        let access = try realm.session.access
        #expect(try index.frequency(of: unit, access).objectsPerEntry <= 256)
        let error = try #require(throws: StoreError.self) {
            _ = try index.postings(of: unit, access)
        }
        #expect(error.code == .damaged)
    }

    @Test("a search among some objects ends at an entry whose key has another form")
    func otherForm() throws {
        let directory = TemporaryDirectory()
        let keyspace = try makeStore(directory)
        try edit(directory) { transaction in
            for (key, _) in try keys(transaction, keyspace, of: "old") {
                try put(transaction, keyspace, key, nil)
            }
            // Its object is 5, and its place after those of two bytes.
            try put(transaction, keyspace, Array("old".utf8) + [0, 19, 0, 0, 5, 0, 0, 0], 1)
        }
        let realm = try directory.open([Posted.self])
        let table = realm.session.table(of: Posted.self)
        let slot = try #require(table.slot(named: "text"))
        let index = try #require(FullTextIndex(of: slot, in: table, .words))
        let access = try realm.session.access
        let all = ObjectBlocks(
            try index.postings(of: FullTextPattern.Unit(bytes: Array("town".utf8)), access))
        #expect(all.count == 500)
        let error = try #require(throws: StoreError.self) {
            _ = try index.objects(
                in: all, with: FullTextPattern.Unit(bytes: Array("old".utf8)), access)
        }
        #expect(error.code == .damaged)
    }

    /// The chapters that a query finds, asked for in every way; each of results that nothing else
    /// was asked of before.
    private func answers(_ realm: Realm, _ query: FullTextQuery) throws -> [String: [Int]] {
        func found() -> Results<GoldenChapter> {
            realm.objects(GoldenChapter.self).where { $0.words.fullText(query) }
        }
        let ids = found().map(\.id)
        var (visited, lent): ([Int], [Int]) = ([], [])
        for chapter in found() { visited.append(chapter.id) }
        try found().forEachLending { lent.append($0.id) }
        let byPosition = found()
        // No chapter has this one.
        let wrong = [Int.min]
        return [
            "map": ids, "loop": visited, "lending": lent, "copy": Array(found()).map(\.id),
            "frozen": found().freeze().map(\.id),
            "positions": byPosition.indices.map { byPosition[$0].id },
            "sorted": found().sorted(by: \.id).map(\.id),
            "filtered": found().filter("id >= -200000000000000").map(\.id),
            "count": found().count == ids.count ? ids : wrong,
            "ends": found().first?.id == ids.first && found().last?.id == ids.last ? ids : wrong,
            "empty": found().isEmpty == ids.isEmpty ? ids : wrong,
        ]
    }

    @Test(
        "a phrase finds the same objects in whatever way it is asked, in stores read from disk",
        arguments: ["closed", "crashed"])
    func waysOfAsking(folder: String) throws {
        let directory = TemporaryDirectory()
        let golden = ProjectFiles.url("Tests/TravertineTests/Golden/schema-5/\(folder)")
        try FileManager.default.copyItem(at: golden, to: directory.url)
        let realm = try directory.open(GoldenObjectsOfSchemaFive.types)
        let queries = [
            "\"sea river and sea\"", "\"the great river\"", "\"great river river\"",
            "left -\"of sea\"",
            "NEAR(chapter river, 4) sea", "NEAR(chapter great, 2)", "\"chapter 3\" OR \"left of\"",
        ]
        for text in queries {
            let query = try FullTextQuery(text)
            let expected = try QueryPlanning.$isScanOnly.withValue(true) {
                try #require(try answers(realm, query)["loop"])
            }
            for prefersIndexes in [true, false] {
                let found = try QueryPlanning.$prefersIndexes.withValue(prefersIndexes) {
                    try answers(realm, query)
                }
                for (way, ids) in found { #expect(ids == expected, "\(text), \(way)") }
            }
        }
        let sea = realm.objects(GoldenChapter.self).where { $0.words.fullText("\"sea river\"") }
        #expect(sea.map(\.id) == (folder == "closed" ? [9] : []))
    }

    @Test("an index of an earlier format is searched, and replaced on opening for writing")
    func earlierFormat() throws {
        let directory = TemporaryDirectory()
        let golden = ProjectFiles.url("Tests/TravertineTests/Golden/schema-4/closed")
        try FileManager.default.copyItem(at: golden, to: directory.url)
        func check(_ realm: Realm, hasPositions: Bool) throws {
            let table = realm.session.table(of: GoldenPage.self)
            let kinds = table.rules.indexes.map(\.kind)
            #expect(kinds.contains { $0.hasPositions } == hasPositions)
            QueryPlanning.$prefersIndexes.withValue(true) {
                let pages = realm.objects(GoldenPage.self)
                #expect(pages.where { $0.words.fullText("\"the words of\" 7") }.count == 1)
                #expect(pages.where { $0.words.fullText("NEAR(page words, 3)") }.count == 23)
                #expect(pages.where { $0.signs.fullText("京タワ") }.count == 11)
                #expect(pages.where { $0.words.fullText("page -1*") }.count == 11)
            }
        }
        let types = GoldenObjectsOfSchemaFour.types
        try check(
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, readOnly: true, objectTypes: types)),
            hasPositions: false)
        try check(try directory.open(types), hasPositions: true)
    }

    @Test("a frozen realm goes on reading an index of an earlier format that is replaced")
    func frozenEarlierFormat() throws {
        let directory = TemporaryDirectory()
        let golden = ProjectFiles.url("Tests/TravertineTests/Golden/schema-4/closed")
        try FileManager.default.copyItem(at: golden, to: directory.url)
        let first = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, objectTypes: [], durability: .unsynced))
        let frozen = first.freeze()
        func count(_ realm: Realm, _ query: String) -> Int {
            QueryPlanning.$prefersIndexes.withValue(true) {
                let found = realm.dynamicObjects("GoldenPage").filter("words TEXT %@", query)
                #expect(found.explain().contains("words words"))
                return found.count
            }
        }
        let phrase = "\"the words of\""
        let before = count(frozen, phrase)
        #expect(before == 23)
        let second = try directory.open(GoldenObjectsOfSchemaFour.types)
        try second.write {
            second.delete(second.objects(GoldenPage.self).where { $0.words.fullText("page -1*") })
        }
        first.refresh()
        #expect(count(frozen, phrase) == before)
        #expect(count(first, phrase) == before - 11)
        #expect(count(second, phrase) == before - 11)
        #expect(try second.brokenInvariants() == [])
    }

    @Test("an index of an earlier format is kept up to date where its class is not opened")
    func earlierFormatOfOtherClass() throws {
        let directory = TemporaryDirectory()
        let golden = ProjectFiles.url("Tests/TravertineTests/Golden/schema-4/closed")
        try FileManager.default.copyItem(at: golden, to: directory.url)
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, objectTypes: [], durability: .unsynced))
            let page = try #require(realm.dynamicObject(ofType: "GoldenPage", forPrimaryKey: 35))
            try realm.write {
                page["words"] = "other words"
                realm.delete(realm.dynamicObjects("GoldenLine").filter("text = 'line 3'"))
            }
            #expect(try realm.brokenInvariants() == [])
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }
}
