import Foundation
import RealmSwift
import TestSupport
import Testing

/// Aggregates and order of enums, of custom types and of values of any type.
@Suite("Aggregates of types that are stored as others")
struct AggregatedTypeTests {
    private static func gauge(_ id: Int, _ degrees: Double?, _ level: ThermoLevel) -> Thermo {
        let gauge = Thermo(value: ["id": id])
        gauge.level = level
        gauge.degrees = Thermal(celsius: degrees ?? 0)
        gauge.lowest = degrees.map { Thermal(celsius: $0) }
        gauge.others.append(objectsIn: [Thermal(celsius: 3), Thermal(celsius: 1)])
        gauge.optionals.append(objectsIn: [nil, Thermal(celsius: 2)])
        gauge.levels.append(objectsIn: [.high, .low])
        gauge.named["a"] = Thermal(celsius: 5)
        gauge.named["b"] = Thermal(celsius: 4)
        gauge.value = .int(id)
        gauge.values.append(objectsIn: [.int(2), .none, .string("x"), .double(0.5), .bool(true)])
        return gauge
    }

    /// Runs `body` with a list of three gauges, unmanaged and managed.
    private func inBoth(_ body: (Realm?, ThermoRack) throws -> Void) throws {
        func rack() -> ThermoRack {
            let rack = ThermoRack()
            rack.gauges.append(Self.gauge(1, 20, .high))
            rack.gauges.append(Self.gauge(2, nil, .low))
            rack.gauges.append(Self.gauge(3, -5, .middle))
            return rack
        }
        try body(nil, rack())
        let directory = TemporaryDirectory()
        let realm = try directory.open([Thermo.self, ThermoRack.self])
        let managed = rack()
        try realm.write { realm.add(managed) }
        try body(realm, managed)
    }

    @Test("properties by name: an enum, a custom type, its optional")
    func byName() throws {
        try inBoth { realm, rack in
            let highest: ThermoLevel? = rack.gauges.max(ofProperty: "level")
            let coldest: Thermal? = rack.gauges.min(ofProperty: "degrees")
            let lowest: Thermal? = rack.gauges.max(ofProperty: "lowest")
            let sum: Thermal = rack.gauges.sum(ofProperty: "degrees")
            let mean: Thermal? = rack.gauges.average(ofProperty: "lowest")
            let plain: Double? = rack.gauges.max(ofProperty: "degrees")
            #expect(highest == .high && coldest?.celsius == -5 && lowest?.celsius == 20)
            #expect(sum.celsius == 15 && mean?.celsius == 7.5 && plain == 20)
            guard let results = realm?.objects(Thermo.self) else { return }
            let top: ThermoLevel? = results.top("level")
            let least: Int? = results.where { $0.level != .high }.top("level")
            #expect(top == .high && least == 2)
        }
    }

    @Test("properties by key path, of collections and of results")
    func byKeyPath() throws {
        try inBoth { realm, rack in
            #expect(rack.gauges.max(of: \.degrees)?.celsius == 20)
            #expect(rack.gauges.min(of: \.lowest)?.celsius == -5)
            #expect(rack.gauges.sum(of: \.degrees).celsius == 15)
            #expect(rack.gauges.average(of: \.lowest) == 7.5)
            #expect(rack.gauges.min(of: \.level) == .low)
            guard let results = realm?.objects(Thermo.self) else { return }
            #expect(results.max(of: \.degrees)?.celsius == 20)
            #expect(results.min(of: \.lowest)?.celsius == -5)
            #expect(results.sum(of: \.lowest).celsius == 15)
            #expect(results.average(of: \.degrees) == 5)
            #expect(results.max(of: \.level) == .high)
            #expect(results.max(of: \.value) == .int(3) && results.average(of: \.value) == 2)
        }
    }

    @Test("elements and values of maps")
    func elements() throws {
        try inBoth { realm, rack in
            let gauge = rack.gauges[0]
            #expect(gauge.others.min()?.celsius == 1 && gauge.others.max()?.celsius == 3)
            #expect(gauge.others.sum().celsius == 4 && gauge.others.average() == 2)
            #expect(gauge.optionals.max()?.celsius == 2 && gauge.optionals.sum().celsius == 2)
            #expect(gauge.levels.max() == .high)
            #expect(gauge.named.min()?.celsius == 4 && gauge.named.sum().celsius == 9)
            guard realm != nil else { return }
            let sorted = gauge.others.sorted(ascending: true)
            #expect(sorted.map(\.celsius) == [1, 3])
            #expect(gauge.others.sorted(ascending: false).map(\.celsius) == [3, 1])
            #expect(gauge.optionals.sorted(ascending: false).map { $0?.celsius } == [2, nil])
            #expect(Array(gauge.levels.sorted(ascending: true)) == [.low, .high])
            #expect(gauge.named.sorted(ascending: true).map(\.celsius) == [4, 5])
            #expect(sorted.max()?.celsius == 3 && sorted.sum().celsius == 4)
        }
    }

    @Test("values of any type: the numbers count, and those with an order are compared")
    func mixed() throws {
        try inBoth { realm, rack in
            let values = rack.gauges[0].values
            #expect(values.min() == .bool(true) && values.max() == .string("x"))
            #expect(values.sum() == .decimal128(2.5) && values.average() == 1.25)
            let greatest: AnyRealmValue? = rack.gauges.max(ofProperty: "value")
            let sum: AnyRealmValue = rack.gauges.sum(ofProperty: "value")
            let mean: AnyRealmValue? = rack.gauges.average(ofProperty: "value")
            #expect(greatest == .int(3) && sum == .decimal128(6) && mean == .decimal128(2))
            let numbers = List<AnyRealmValue>()
            #expect(numbers.max() == nil && numbers.sum() == .int(0))
            #expect(numbers.average() == nil)
            numbers.append(objectsIn: [.decimal128(2), .float(-1), .int(7), .double(6.5)])
            #expect(numbers.min() == .float(-1) && numbers.max() == .int(7))
            let others: [AnyRealmValue] = [
                .uuid(UUID()), .objectId(.generate()), .date(Date()), .data(Data([1])),
                .string("a"), .int(5), .bool(false),
            ]
            for count in 1..<others.count {
                let list = List<AnyRealmValue>()
                list.append(objectsIn: others.suffix(count + 1))
                #expect(list.min() == .bool(false))
                #expect(list.max() == others[others.count - count - 1])
            }
        }
    }

    @Test("a type without its own hash hashes what is stored")
    func hashes() {
        let points = [1, 1, 2].map { PlainPoint(x: $0, label: PlainLabel()) }
        #expect(points[0].hashValue == points[1].hashValue && Set(points).count == 2)
        let spots = [PlainSpot(x: 1), PlainSpot(x: 1), PlainSpot(x: 2)]
        #expect(Set(spots).count == 2 && spots[0].hashValue == spots[1].hashValue)
    }
}

extension Results {
    fileprivate func top<T: _HasPersistedType>(_ property: String) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: property)
    }
}

struct Thermal: CustomPersistable, Hashable {
    var celsius: Double

    init(celsius: Double) { self.celsius = celsius }
    init(persistedValue: Double) { celsius = persistedValue }
    var persistableValue: Double { celsius }
}

enum ThermoLevel: Int, PersistableEnum {
    case low = 1
    case middle, high
}

final class Thermo: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: ThermoLevel
    @Persisted var degrees: Thermal
    @Persisted var lowest: Thermal?
    @Persisted var others: List<Thermal>
    @Persisted var optionals: List<Thermal?>
    @Persisted var levels: List<ThermoLevel>
    @Persisted var named: Map<String, Thermal>
    @Persisted var value: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
}

final class ThermoRack: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var gauges: List<Thermo>
}

/// Something that is not `Hashable`.
struct PlainLabel: Equatable {}

struct PlainPoint: Equatable {
    var x: Double
    var label: PlainLabel
}

extension PlainPoint: CustomPersistable {
    init(persistedValue: Double) { self.init(x: persistedValue, label: PlainLabel()) }
    var persistableValue: Double { x }
}

final class SpotForm: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var x: Double
}

struct PlainSpot: Equatable {
    var x: Double
    var label = PlainLabel()
}

extension PlainSpot: CustomPersistable {
    init(persistedValue: SpotForm) { self.init(x: persistedValue.x) }
    var persistableValue: SpotForm { SpotForm(value: ["x": x]) }
}
