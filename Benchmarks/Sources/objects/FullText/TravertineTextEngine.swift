import Foundation
import Measurement
import Travertine

/// A text with a full-text index.
final class IndexedText: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text: String
}

/// A text without one.
final class PlainText: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
}

/// Full-text queries through the public interface.
final class TravertineTextEngine: TextEngine {
    private let realm: Realm
    private let isIndexed: Bool

    init(directory: String, isIndexed: Bool) throws {
        try DirectoryTree.create(directory)
        self.isIndexed = isIndexed
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(filePath: directory + "/texts.realm")
        configuration.objectTypes = isIndexed ? [IndexedText.self] : [PlainText.self]
        configuration.durability = Realm.Durability.unsynced
        realm = try Realm(configuration: configuration)
    }

    func close() throws {
        realm.invalidate()
        try realm.store.close()
    }

    func insert(_ texts: [String], from first: Int) throws {
        try realm.write {
            for (position, text) in texts.enumerated() {
                if isIndexed {
                    let object = IndexedText()
                    (object.id, object.text) = (first + position, text)
                    realm.add(object)
                } else {
                    let object = PlainText()
                    (object.id, object.text) = (first + position, text)
                    realm.add(object)
                }
            }
        }
    }

    func compact() throws {
        realm.invalidate()
        try realm.store.compact()
    }

    func byteCount() throws -> Int {
        let statistics = try realm.store.statistics
        return statistics.segments.filter { !$0.isRetired }
            .reduce(statistics.pageFileByteCount) { $0 + $1.writtenByteCount }
    }

    func run(_ query: TextWorkload, _ words: TextFacts.Words) throws -> Int {
        let texts = realm.objects(IndexedText.self)
        let (first, second) = words.texts
        switch query {
        case .twoWords: return texts.where { $0.text.fullText("\(first) \(second)") }.count
        case .prefix:
            return texts.where { $0.text.fullText(TextFacts.beginning(words) + "*") }.count
        case .phrase: return texts.where { $0.text.fullText("\"\(first) \(second)\"") }.count
        case .near: return texts.where { $0.text.fullText("NEAR(\(first) \(second), 8)") }.count
        case .ranked: return try best(of: "\(first) \(second)")
        case .rankedRare: return try best(of: "\(first) OR \(second)")
        }
    }

    private func best(of text: String) throws -> Int {
        let query = try FullTextQuery(text)
        let found = realm.objects(IndexedText.self)
            .ranked(by: \.text, matching: query, limit: 10)
        return found.reduce(0) { $0 + ($1.object.id >= 0 ? 1 : 0) }
    }
}
