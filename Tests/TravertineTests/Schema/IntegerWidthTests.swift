import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Integers of another width than those that are stored")
struct IntegerWidthTests {
    private let directory = TemporaryDirectory()

    /// Stores numbers as `Int`, of which the first object's fit no narrower type.
    private func fill() throws {
        let realm = try directory.open([WideGauge.self, WidePart.self])
        try realm.write {
            for number in [300, 5] {
                let large = number * 10_000_000_000
                realm.create(
                    WideGauge.self,
                    value: [
                        "id": number, "small": number, "maybe": number, "middle": 1000 * number,
                        "large": large, "level": number, "own": number, "line": [number, 7],
                        "perhaps": [number, nil, 7] as [Int?], "some": [number, 7],
                        "named": ["a": number, "b": 7], "part": ["size": number],
                    ] as [String: Any])
            }
        }
    }

    private func open() throws -> Realm {
        try fill()
        return try directory.open([Gauge.self, GaugePart.self])
    }

    @Test("a number that does not fit reads as zero, or nil, and is there by subscript")
    func reading() throws {
        let realm = try open()
        let gauge = try #require(realm.object(ofType: Gauge.self, forPrimaryKey: 300))
        #expect(gauge.small == 0 && gauge.maybe == nil && gauge.middle == 0 && gauge.large == 0)
        #expect(gauge.level == .low && gauge.own.number == 0)
        #expect(Array(gauge.line) == [0, 7] && gauge.line[0] == 0 && gauge.line.count == 2)
        #expect(Array(gauge.perhaps) == [nil, nil, 7])
        #expect(Set(gauge.some) == [0, 7] && gauge.named["a"] == 0 && gauge.named["b"] == 7)
        #expect(gauge.part?.size == 0 && gauge.part?["size"] as? Int == 300)
        #expect(gauge["small"] as? Int == 300 && gauge["maybe"] as? Int == 300)
        #expect(gauge["middle"] as? Int == 300_000 && gauge["large"] as? Int == 3_000_000_000_000)
        #expect(gauge["level"] as? Int == 300 && gauge["own"] as? Int == 300)
        #expect(gauge.value(forKeyPath: "part.size") as? Int == 300)
        let other = try #require(realm.object(ofType: Gauge.self, forPrimaryKey: 5))
        #expect(other.small == 5 && other.maybe == 5 && other["small"] as? Int8 == 5)
        #expect(other.middle == 5000 && other["maybe"] as? Int8 == 5)
        #expect(other.large == 0 && other.level == .high && other.own.number == 5)
        #expect(Array(other.line) == [5, 7] && Array(other.perhaps) == [5, nil, 7])
        // A row that was changed in place and one that was made anew read alike.
        try realm.write {
            gauge.note = "changed"
            #expect(gauge.small == 0 && gauge.maybe == nil && gauge["small"] as? Int == 300)
            other.small = -3
        }
        #expect(gauge.small == 0 && gauge["maybe"] as? Int == 300 && other.small == -3)
    }

    @Test("copies, encoders, projections and structs never have another number in its place")
    func copies() throws {
        let realm = try open()
        let gauge = try #require(realm.object(ofType: Gauge.self, forPrimaryKey: 300))
        for copy in [gauge.detached(), Gauge(value: gauge)] {
            #expect(copy.small == 0 && copy.maybe == nil && copy.level == .low)
            #expect(Array(copy.line) == [0, 7] && copy.part?.size == 0)
        }
        let part = try #require(gauge.part)
        let text = String(decoding: try JSONEncoder().encode(part), as: UTF8.self)
        #expect(text == #"{"size":0}"#)
        let view = try #require(realm.objects(GaugeView.self).where { $0.id == 300 }.first)
        #expect(view.small == 0 && view.size == 0)
        #expect(gauge.description.contains("small = 0;") && !gauge.description.contains("44"))
        var configuration = realm.configuration
        configuration.objectTypes = []
        let values = try Realm(configuration: configuration)
        #expect(throws: DecodingError.self) { try values.values(GaugeValue.self) }
        #expect(try values.value(ofType: GaugeValue.self, forPrimaryKey: 5)?.small == 5)
        let dynamic = try #require(values.dynamicObjects("Gauge").first)
        #expect(dynamic["small"] as? Int == 5)
    }

    @Test("queries, sorting and distinct go by what is stored; aggregates by what reading gives")
    func queries() throws {
        let realm = try open()
        let gauges = realm.objects(Gauge.self)
        #expect(gauges.where { $0.small > 100 }.map(\.id) == [300])
        #expect(gauges.where { $0.small == 0 }.isEmpty && gauges.where { $0.small == 44 }.isEmpty)
        #expect(gauges.where { $0.maybe == nil }.isEmpty)
        #expect(gauges.sorted(byKeyPath: "small").map(\.id) == [5, 300])
        #expect(gauges.distinct(by: ["small"]).count == 2)
        #expect(gauges.min(of: \.small) == 0 && gauges.max(of: \.small) == 5)
        #expect(gauges.sum(of: \.small) == 5 && gauges.average(of: \.small) == 2.5)
        #expect(gauges.max(of: \.maybe) == 5 && gauges.average(of: \.maybe) == 5)
        #expect(gauges.max(ofProperty: "small") as Int? == 5)
        #expect(gauges.max(ofProperty: "id") as Int? == 300)
        #expect(gauges.max(ofProperty: "id") as Int8? == nil)
        #expect(gauges.max(ofProperty: "part.size") as Int8? == 5)
        let gauge = try #require(gauges.where { $0.id == 300 }.first)
        #expect(gauge.line.max() == 7 && gauge.line.sum() == 7 && gauge.perhaps.sum() == 7)
        #expect(gauge.named.max() == 7 && gauge.some.min() == 0)
    }

    @Test("verification names such numbers and knows of no damage; what fits is not named")
    func verification() throws {
        do { _ = try open() }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.isSound)
        let texts = report.findings.map(\.message)
        for name in ["small", "middle", "level", "own", "size"] {
            #expect(texts.count { $0.contains("'\(name)' of object") } == 1, "\(name) in \(texts)")
        }
        #expect(texts.count { $0.contains("'large' of object") } == 2, "\(texts)")
        for name in ["line", "some", "named"] {
            #expect(
                texts.count { $0.contains("'\(name)' of object") && $0.contains("1 element") } == 1,
                "\(name) in \(texts)")
        }
        #expect(texts.count == 10, "\(texts)")
        #expect(texts.contains { $0.contains("is 300, which its type of integers can't hold.") })
        // Declared wide again, nothing is unknown.
        do { _ = try directory.open([WideGauge.self, WidePart.self]) }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("opening again with the same widths writes nothing")
    func unchanged() throws {
        do { _ = try open() }
        let lsn = try directory.open([Gauge.self, GaugePart.self]).store.durableLSN
        #expect(try directory.open([Gauge.self, GaugePart.self]).store.durableLSN == lsn)
    }
}

enum GaugeLevel: Int8, PersistableEnum {
    case low
    case high = 5
}

struct GaugeNumber: CustomPersistable, Hashable {
    var number: Int8
    init(persistedValue: Int8) { number = persistedValue }
    var persistableValue: Int8 { number }
}

class WideGauge: Object {
    override class func objectTypeName() -> String { "Gauge" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var note: String
    @Persisted var small: Int
    @Persisted var maybe: Int?
    @Persisted var middle: Int
    @Persisted var large: Int
    @Persisted var level: Int
    @Persisted var own: Int
    @Persisted var line: List<Int>
    @Persisted var perhaps: List<Int?>
    @Persisted var some: MutableSet<Int>
    @Persisted var named: Map<String, Int>
    @Persisted var part: WidePart?
}

class WidePart: EmbeddedObject {
    override class func objectTypeName() -> String { "GaugePart" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var size: Int
}

class Gauge: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var note: String
    @Persisted var small: Int8
    @Persisted var maybe: Int8?
    @Persisted var middle: Int16
    @Persisted var large: Int32
    @Persisted var level: GaugeLevel
    @Persisted var own: GaugeNumber
    @Persisted var line: List<Int8>
    @Persisted var perhaps: List<Int8?>
    @Persisted var some: MutableSet<Int8>
    @Persisted var named: Map<String, Int8>
    @Persisted var part: GaugePart?
}

class GaugePart: EmbeddedObject, Codable {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var size: Int8
}

class GaugeView: Projection<Gauge> {
    @Projected(\Gauge.id) var id
    @Projected(\Gauge.small) var small
    @Projected(\Gauge.part?.size) var size
}

struct GaugeValue: PersistedStruct {
    static func objectTypeName() -> String { "Gauge" }
    static func primaryKey() -> String? { "id" }
    var id: Int
    var small: Int8
}
