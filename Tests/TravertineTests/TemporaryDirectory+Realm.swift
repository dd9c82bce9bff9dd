import Foundation
import RealmSwift
import Testing

struct Stop: Error {}

/// A directory that is removed with the value.
final class TemporaryDirectory {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "travertine-\(UUID().uuidString)")
    }

    deinit {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record("the temporary directory could not be removed: \(error)")
        }
    }

    func open(_ types: [ObjectBase.Type], version: UInt64 = 0) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: url, schemaVersion: version, objectTypes: types,
                durability: .unsynced))
    }
}

/// A repeatable source of random numbers (SplitMix64).
struct RandomStream: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Texts with empty, long, non-ASCII ones and zeros among them.
    mutating func text() -> String {
        switch below(10) {
        case 0: ""
        case 1: String(repeating: "ab\u{0}", count: below(100))
        case 2: "Ærøskøbing \(below(50)) 東京"
        case 3: String(repeating: "long ", count: below(200))
        default: "name \(below(60))"
        }
    }
}
