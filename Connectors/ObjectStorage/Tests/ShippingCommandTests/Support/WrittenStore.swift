import Foundation
import TravertineStore

/// What `shipping-writer` writes.
enum WrittenStore {
    /// What a store holds after the entry of a number.
    static func contents(after number: Int) -> [String: String] {
        guard number > 0 else { return [:] }
        var contents = ["newest": String(number)]
        for entry in max(1, number - 199)...number {
            contents["key \(entry % 200)"] = String(
                repeating: "\(entry) ", count: 1 + entry * 7919 % 600)
        }
        return contents
    }

    /// The number of the newest entry that a store has, if all others are as they must be then;
    /// nil if not.
    static func newestNumber(at path: String) throws -> Int? {
        let store = try Store.open(at: path)
        defer { try? store.close() }
        let snapshot = try store.snapshot()
        var found: [String: String] = [:]
        let cursor = snapshot.cursor()
        var isValid = try cursor.seekToFirst()
        while isValid {
            found[String(decoding: cursor.key, as: UTF8.self)] = String(
                decoding: try cursor.value, as: UTF8.self)
            isValid = try cursor.next()
        }
        let number = found["newest"].flatMap { Int($0) } ?? 0
        return found == contents(after: number) ? number : nil
    }
}
