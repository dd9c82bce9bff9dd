import RealmSwift
import Testing
import TravertineStore

@testable import Travertine

class Posted: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text: String?
    @Persisted(indexed: .fullText(.codePoints)) var signs: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    convenience init(_ id: Int, _ text: String?) {
        self.init()
        self.id = id
        self.text = text
        signs = text.map { String($0.prefix(6)) }
    }
}

/// The entries of postings that texts ask for, made from Format.md 5.7 alone.
enum PlainPostings {
    /// By keys.
    static func entries(_ texts: [UInt64: String]) -> [[UInt8]: UInt64] {
        var postings: [String: [UInt64: [Int]]] = [:]
        for (object, text) in texts {
            let words = PlainFullText(tokenizer: .words).units(text)
            for (position, word) in words.enumerated() {
                postings[word, default: [:]][object, default: []].append(position)
            }
        }
        var entries: [[UInt8]: UInt64] = [:]
        for (word, objects) in postings {
            let token = Array(word.utf8)
            let sorted = objects.sorted { $0.key < $1.key }
            divide(sorted.filter { $0.key < 1 << 63 }, 0, 63, token, &entries)
            divide(sorted.filter { $0.key >= 1 << 63 }, 1 << 63, 63, token, &entries)
            for (object, positions) in objects where positions.count > 48 {
                for start in stride(from: 0, to: positions.count, by: 48) {
                    let part = Array(positions[start..<min(positions.count, start + 48)])
                    let first = UInt32(part[0])
                    let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: first >> $0) }
                    let rest = zip(part.dropFirst(), part).flatMap { varint(UInt64($0 - $1 - 1)) }
                    entries[token + [1] + block(object) + head + rest] = UInt64(part.count)
                }
            }
        }
        return entries
    }

    private static func divide(
        _ postings: [(key: UInt64, value: [Int])], _ first: UInt64, _ level: UInt64,
        _ token: [UInt8], _ entries: inout [[UInt8]: UInt64]
    ) {
        if postings.isEmpty { return }
        var objects: [UInt8] = []
        var places: [UInt8] = []
        var before: UInt64?
        for (object, positions) in postings {
            let distance = before.map { object - $0 - 1 } ?? (object - first)
            before = object
            objects.append(
                UInt8(distance % 64) | (positions.count > 1 ? 64 : 0) | (distance > 63 ? 128 : 0))
            if distance > 63 { objects += varint(distance / 64) }
            if positions.count > 1 { objects += varint(UInt64(positions.count - 2)) }
            if positions.count > 48 { continue }
            places += varint(UInt64(positions[0]))
            places += zip(positions.dropFirst(), positions).flatMap { varint(UInt64($0 - $1 - 1)) }
        }
        if objects.count + places.count <= 256 {
            let range =
                level == 63
                ? [first == 0 ? 9 : 25] : block(first + ((1 << level) - 1)) + [UInt8(level)]
            entries[token + [0] + range + objects + places] = UInt64(postings.count)
            return
        }
        let middle = first + (1 << (level - 1))
        divide(postings.filter { $0.key < middle }, first, level - 1, token, &entries)
        divide(postings.filter { $0.key >= middle }, middle, level - 1, token, &entries)
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number % 128) | 128] + varint(number / 128)
    }

    private static func block(_ object: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = object & ~(1 << 63)
        while rest > 0 {
            bytes.insert(UInt8(rest % 256), at: 0)
            rest /= 256
        }
        return [UInt8(bytes.count) + (object >> 63 != 0 ? 16 : 0)] + bytes
    }
}

extension Realm {
    /// The entries of postings of an index of words, without the numbers of the whole index.
    func postingEntries(of property: String, _ type: Object.Type) throws -> [[UInt8]: UInt64] {
        let table = session.table(of: type)
        let slot = try #require(table.slot(named: property))
        let index = try #require(
            table.rules.indexes.first { $0.slots == [slot] && $0.kind.hasPositions })
        var entries: [[UInt8]: UInt64] = [:]
        var cursor = try session.access.cursor(in: index.keyspace)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let key = cursor.withKey { Array($0) }
            if key.first != 0 { entries[key] = cursor.indexValue }
            isValid = try cursor.next()
        }
        return entries
    }
}
