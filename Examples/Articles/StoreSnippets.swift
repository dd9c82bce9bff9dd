import Foundation
import StoreMaintenance
import Testing
import TravertineStore

@Suite("Snippets: the store of keys and values")
struct StoreSnippets {
    private let directory = SnippetDirectory()
    private var path: String { directory.url.path }

    @Test("a store is opened, written, read and closed")
    func firstStore() throws {
        let path = path
        let store = try Store.open(at: path)
        try store.write { transaction in
            try transaction.put("Lisbon", forKey: "PT")
            try transaction.put("Madrid", forKey: "ES")
        }
        if let capital = try store.get("PT") {
            print(String(decoding: capital, as: UTF8.self))  // Lisbon
        }
        #expect(try store.get("PT") == Array("Lisbon".utf8))
        try writing(store)
        try reading(store)
        try keyspaces(store)
        try store.sync()
        try backup(store, to: path + "-backup")
        try store.close()
        try otherProcess(path)
        try FileManager.default.removeItem(atPath: path + "-backup")
        try FileManager.default.removeItem(atPath: path + "-restored")
    }

    private func writing(_ store: Store) throws {
        try store.write { transaction in
            try transaction.delete("ES")
            let isNew = try transaction.putIfAbsent("Porto", forKey: "PT")
            print(isNew)  // false: the key has a value
        }
        struct Refused: Error {}
        do {
            try store.write { transaction in
                try transaction.put("Paris", forKey: "FR")
                throw Refused()
            }
        } catch is Refused {
            print(try store.get("FR") == nil)  // true: nothing of the transaction is there
        }
        // Returns at once; a power cut may lose the last commits, a crash of the process none.
        try store.write(durability: .unsynced) { transaction in
            try transaction.put("Rome", forKey: "IT")
        }
        #expect(try store.get("ES") == nil && store.get("IT") != nil && store.get("FR") == nil)
    }

    private func reading(_ store: Store) throws {
        let snapshot = try store.snapshot()
        let cursor = snapshot.cursor()
        var isValid = try cursor.seek(to: "J")
        while isValid {
            print(String(decoding: cursor.key, as: UTF8.self))  // PT: the keys from "J" on
            isValid = try cursor.next()
        }
        let byteCount = try snapshot.withValue(forKey: "PT") { $0.byteCount }
        print(byteCount ?? 0)  // 6
        #expect(byteCount == 6 && snapshot.count() == 2)
    }

    private func keyspaces(_ store: Store) throws {
        let visits = try store.write { transaction in
            let visits = try transaction.keyspace(named: "visits")
            try transaction.put("3", forKey: UInt64(1906), in: visits)
            return visits
        }
        print(try store.snapshot().count(in: visits))  // 1
        #expect(try store.get(UInt64(1906), in: visits) == Array("3".utf8))
    }

    private func backup(_ store: Store, to backupPath: String) throws {
        try store.backup(to: backupPath)
        let report = try StoreBackup.verify(path: backupPath)
        print(report.isSound)
        try StoreBackup.restore(from: backupPath, to: path + "-restored")
        #expect(report.isSound)
    }

    private func otherProcess(_ path: String) throws {
        let reader = try StoreReader.open(at: path)
        print(try reader.snapshot().count())
        // Later, to see what the writer has committed since:
        try reader.refresh()
        reader.close()
    }
}
