import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Elements that a type has no value for")
struct UnknownElementTests {
    private let directory = TemporaryDirectory()

    /// Stores two raw values that the enum lacks, and one that it has, in each collection.
    private func fill() throws {
        let realm = try directory.open([PaletteV0.self])
        try realm.write {
            realm.create(
                PaletteV0.self,
                value: [
                    "list": ["ruin", "city", "wreck"], "maybe": ["ruin", nil, "city"] as [String?],
                    "set": ["ruin", "city"], "map": ["a": "ruin", "b": "city"],
                    "codes": ["x", "77"], "evens": [3, 4],
                ])
        }
    }

    @Test("they read as the first case or the default, or nil where that is allowed, and stay")
    func reading() throws {
        try fill()
        let realm = try directory.open([Palette.self])
        let palette = try #require(realm.objects(Palette.self).first)
        #expect(Array(palette.list) == [.capital, .city, .capital])
        #expect(palette.list[0] == .capital && palette.list[2] == .capital)
        #expect(Array(palette.maybe) == [nil, nil, .city] && palette.maybe[0] == nil)
        #expect(palette.set.count == 2 && Set(palette.set) == [.capital, .city])
        #expect((0..<2).map { palette.set[$0] }.contains(.capital))
        #expect(palette.map.count == 2 && palette.map["a"] == .capital)
        #expect(palette.map.asKeyValueSequence().map(\.value) == [.capital, .city])
        #expect(palette.codes.map(\.number) == [0, 77] && palette.codes[0].number == 0)
        // Nothing stands for the first of these.
        #expect(Array(palette.evens).map(\.number) == [4] && palette.evens.count == 2)
        #expect(Array(palette.list.sorted(ascending: true)) == [.city, .capital, .capital])
        // Nothing of this is damage, which the next transaction would report.
        try realm.write {
            palette.list.append(.village)
            palette.list.remove(at: 1)
        }
        let dynamic = try #require(realm.dynamicObjects("Palette").first)
        #expect(
            (dynamic["list"] as? List<String>).map { Array($0) } == ["ruin", "wreck", "village"])
    }

    @Test("verification names them, and knows of no damage")
    func verification() throws {
        try fill()
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
        do { _ = try directory.open([Palette.self]) }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.isSound)
        let texts = report.findings.map(\.message)
        #expect(texts.count == 3, "\(texts)")
        for (name, count) in [("list", "2 elements"), ("set", "1 element"), ("map", "1 element")] {
            #expect(
                texts.contains {
                    $0.contains("'\(name)' of object") && $0.contains(count)
                        && $0.contains("first \"ruin\"")
                }, "\(name) in \(texts)")
        }
    }
}

class Palette: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var list: List<Kind>
    @Persisted var maybe: List<Kind?>
    @Persisted var set: MutableSet<Kind>
    @Persisted var map: Map<String, Kind>
    @Persisted var codes: List<Code>
    @Persisted var evens: List<Even>
}

class PaletteV0: Object {
    override class func objectTypeName() -> String { "Palette" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var list: List<String>
    @Persisted var maybe: List<String?>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, String>
    @Persisted var codes: List<String>
    @Persisted var evens: List<Int>
}
