import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Properties that change their types at random, one version after the other, against plain values
/// in memory.
@Suite("Histories of changed properties")
struct ConversionHistoryTests {
    @Test(
        "whatever a property becomes, values are kept, or lost only when that is allowed",
        arguments: Array(1...12) as [UInt64])
    func histories(seed: UInt64) throws {
        print("changed properties, seed \(seed)")
        var history = ConversionHistory(seed: seed)
        for _ in 0..<12 {
            try history.fill()
            try history.change()
        }
        #expect(history.keptCount > 0 && history.lostCount > 0, "seed \(seed)")
    }
}

/// A value as the model has it. Floats are the doubles that they are.
private enum Kept: Hashable {
    case nothing
    case int(Int)
    case double(Double)
    case decimal(Decimal128)
    case text(String)
    case link(Int)
    case list([Kept])
    case set(Set<Kept>)
    case map([String: Kept])

    var elements: [Kept] {
        switch self {
        case .list(let values): values
        case .set(let values): Array(values)
        case .map(let values): Array(values.values)
        default: []
        }
    }

    /// How often each element is there.
    var elementCounts: [Kept: Int] {
        elements.reduce(into: [:]) { counts, element in counts[element, default: 0] += 1 }
    }

    var isList: Bool {
        if case .list = self { return true }
        return false
    }
}

/// What a property is declared as.
private struct Spec: Hashable {
    var type: PropertyType
    var isOptional: Bool
    var collection: CollectionKind

    init(_ type: PropertyType, _ isOptional: Bool, _ collection: CollectionKind) {
        self.type = type
        self.collection = collection
        self.isOptional =
            switch type {
            case .any: false
            case .object: collection == .none || collection == .map
            default: isOptional
            }
    }

    /// What an object has that was never given a value.
    var empty: Kept {
        switch collection {
        case .list: return .list([])
        case .set: return .set([])
        case .map: return .map([:])
        case .none: break
        }
        if isOptional || type == .any { return .nothing }
        return switch type {
        case .int: .int(0)
        case .decimal128: .decimal(0)
        case .string: .text("")
        default: .double(0)
        }
    }

    /// What a value becomes, and whether something of it is lost.
    func value(_ value: Kept, as new: Spec) -> (Kept, isLossy: Bool) {
        let isTypeFine =
            type == new.type || new.type == .any || (type == .int && new.type == .double)
            || (type == .int && new.type == .decimal128) || (type == .float && new.type == .double)
        let isPlaceFine =
            collection == new.collection || (collection == .none && new.collection != .map)
            || (collection == .set && new.collection == .list)
            || (new.collection == .none && new.type == .any)
        let hasValue = collection == .none ? value != .nothing : !value.elements.isEmpty
        guard isTypeFine, isPlaceFine else { return (new.empty, hasValue) }
        if collection == .none {
            if value == .nothing { return (new.empty, false) }
            let (element, isLossy) = new.element(value)
            guard let element else { return (new.empty, true) }
            return switch new.collection {
            case .none: (element, isLossy)
            case .list, .map: (.list([element]), isLossy)
            case .set: (.set([element]), isLossy)
            }
        }
        var isLossy = false
        func keep(_ old: Kept) -> Kept? {
            if old == .nothing, new.type != .any, !new.isOptional {
                isLossy = true
                return nil
            }
            let (element, losesElement) = new.element(old)
            isLossy = isLossy || losesElement
            return element
        }
        let kept: Kept =
            switch value {
            case .map(let values): .map(values.compactMapValues(keep))
            case .set(let values) where new.collection == .set: .set(Set(values.compactMap(keep)))
            default: .list(value.elements.compactMap(keep))
            }
        return (kept, isLossy)
    }

    /// What a value that is not nil becomes as one of this type.
    private func element(_ value: Kept) -> (Kept?, isLossy: Bool) {
        switch value {
        case .int(let number) where type == .double:
            (.double(Double(number)), Int(exactly: Double(number)) != number)
        case .int(let number) where type == .decimal128: (.decimal(Decimal128(number)), false)
        case .list where collection == .set: (nil, true)
        default: (value, false)
        }
    }
}

private struct ConversionHistory {
    private let directory = TemporaryDirectory()
    private var random: SeededRandom
    private var specs: [String: Spec] = [:]
    private var model: [Int: [String: Kept]] = [:]
    private var version: UInt64 = 0
    /// Lists that were sets: which order their elements have is the set's affair.
    private var listsOfSets: Set<String> = []
    private(set) var keptCount = 0
    private(set) var lostCount = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for place in 0..<5 { specs["p\(place)"] = spec() }
    }

    private mutating func spec() -> Spec {
        Spec(
            random.pick([.int, .int, .float, .double, .string, .decimal128, .any, .object]),
            random.chance(50), random.pick([.none, .none, .list, .set, .map]))
    }

    private func open(
        _ specs: [String: Spec], _ version: UInt64, discarding: Bool = false
    ) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: version, objectTypes: [], durability: .unsynced)
        let properties = specs.sorted { $0.key < $1.key }.map { name, spec in
            Property(
                name, spec.type, isOptional: spec.isOptional, collection: spec.collection,
                objectType: spec.type == .object ? "Thing" : nil,
                index: spec.collection == .none && [.int, .string].contains(spec.type)
                    ? .general : .none)
        }
        configuration.objectSchemas = [
            ObjectSchema(
                "Thing", properties: [Property("id", .int, isPrimaryKey: true)] + properties)
        ]
        configuration.discardsChangedProperties = discarding
        return try Realm(configuration: configuration)
    }

    // MARK: Values

    /// Gives some objects values, and compares all.
    mutating func fill() throws {
        let realm = try open(specs, version)
        realm.beginWrite()
        for _ in 0..<3 {
            let id = model.count
            realm.dynamicCreate("Thing", value: ["id": id])
            model[id] = specs.mapValues(\.empty)
        }
        for (name, spec) in specs.sorted(by: { $0.key < $1.key }) where random.chance(70) {
            for id in model.keys.sorted() where random.chance(50) {
                let object = try #require(
                    realm.dynamicObject(ofType: "Thing", forPrimaryKey: id))
                let value = value(of: spec)
                object[name] = given(value, spec, realm)
                model[id]?[name] = value
            }
        }
        try realm.commitWrite()
        try check(realm)
    }

    private mutating func value(of spec: Spec) -> Kept {
        // Some collections are large, so that they are trees.
        let count = random.chance(5) ? 200 : random.below(4)
        switch spec.collection {
        case .none: return random.chance(80) ? single(spec.type) : spec.empty
        case .list: return .list((0..<count).map { _ in element(spec) })
        case .set:
            let values = (0..<count).map { _ in element(spec) }
            return .set(Set(values.filter { !$0.isList }))
        case .map:
            return .map(
                Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", element(spec)) }))
        }
    }

    private mutating func element(_ spec: Spec) -> Kept {
        (spec.isOptional || spec.type == .any) && random.chance(20) ? .nothing : single(spec.type)
    }

    private mutating func single(_ type: PropertyType) -> Kept {
        switch type {
        case .int: .int(random.chance(3) ? (1 << 60) + random.below(9) : random.below(500) - 250)
        case .float: .double(Double(Float(random.below(1000)) / 7))
        case .double: .double(Double(random.below(1000)) / 7)
        case .decimal128: .decimal(Decimal128(random.below(1000)))
        case .object: .link(model.keys.sorted()[random.below(model.count)])
        case .any:
            switch random.below(4) {
            case 0: .int(random.below(9))
            case 1: .list([.text("x"), .list([.int(1)])])
            default: .text(random.text())
            }
        default: .text(random.text())
        }
    }

    private func given(_ value: Kept, _ spec: Spec, _ realm: Realm) -> Any? {
        switch value {
        case .list(let values) where spec.collection == .list:
            return values.map { single($0, spec, realm) as Any }
        case .set(let values): return values.map { single($0, spec, realm) as Any }
        case .map(let values): return values.mapValues { single($0, spec, realm) as Any }
        default: return single(value, spec, realm)
        }
    }

    private func single(_ value: Kept, _ spec: Spec, _ realm: Realm) -> Any? {
        if spec.type == .any { return mixed(value, realm) }
        return switch value {
        case .int(let number): number
        case .double(let number): spec.type == .float ? Float(number) : number
        case .decimal(let number): number
        case .text(let text): text
        case .link(let id): realm.dynamicObject(ofType: "Thing", forPrimaryKey: id)
        default: nil
        }
    }

    private func mixed(_ value: Kept, _ realm: Realm) -> AnyRealmValue {
        switch value {
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        case .list(let values): .fromArray(values.map { mixed($0, realm) })
        case .double(let number): .double(number)
        case .decimal(let number): .decimal128(number)
        default: .none
        }
    }

    /// Another type, which has a place for most values of the first.
    private mutating func roomier(_ spec: Spec) -> Spec {
        let collection: CollectionKind =
            switch spec.collection {
            case .none: random.pick([.none, .list, .set])
            case .set: random.pick([.set, .list])
            default: spec.collection
            }
        let type: PropertyType =
            switch spec.type {
            case .int: random.pick([.int, .double, .decimal128, .any])
            case .float: random.pick([.float, .double])
            default: random.chance(20) ? .any : spec.type
            }
        return Spec(type, random.chance(60), collection)
    }

    // MARK: Changing

    /// Changes some properties under a higher version: refused if anything would be lost, and then
    /// allowed to.
    mutating func change() throws {
        var changed = specs
        for name in specs.keys.sorted() where random.chance(35) {
            changed[name] = random.chance(30) ? spec() : specs[name].map { roomier($0) }
        }
        for (name, new) in changed where new.collection == .list {
            if specs[name]?.collection == .set { listsOfSets.insert(name) }
        }
        var expected = model
        var isLossy = false
        for (id, values) in model {
            for (name, value) in values {
                guard let old = specs[name], let new = changed[name] else { continue }
                let (kept, losesValue) = old.value(value, as: new)
                let isLost = losesValue && new != old
                expected[id]?[name] = kept
                isLossy = isLossy || isLost
            }
        }
        if isLossy {
            let error = #expect(throws: Realm.Error.self) { try open(changed, version + 1) }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("discardsChangedProperties") == true)
            try check(try open(specs, version))
            lostCount += 1
        } else if changed != specs {
            keptCount += 1
        }
        version += 1
        do {
            let realm = try open(changed, version, discarding: isLossy)
            specs = changed
            model = expected
            try check(realm)
            #expect(try realm.brokenInvariants() == [])
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    // MARK: Comparing

    private func check(_ realm: Realm) throws {
        let objects = realm.dynamicObjects("Thing")
        #expect(objects.count == model.count)
        for object in objects {
            let id = try #require(object["id"] as? Int)
            for (name, spec) in specs {
                let stored = kept(object[name], spec.collection)
                let expected = model[id]?[name]
                let isSame =
                    listsOfSets.contains(name) && spec.collection == .list
                    ? stored.elementCounts == expected?.elementCounts : stored == expected
                if !isSame {
                    Issue.record(
                        "\(id).\(name) \(spec): \(stored), not \(String(describing: expected))")
                }
            }
        }
    }

    private func kept(_ value: Any?, _ collection: CollectionKind) -> Kept {
        guard let value else { return .nothing }
        switch value {
        case let mixed as AnyRealmValue: return kept(mixed)
        case let number as Int: return .int(number)
        case let number as Float: return .double(Double(number))
        case let number as Double: return .double(number)
        case let number as Decimal128: return .decimal(number)
        case let text as String: return .text(text)
        case let object as DynamicObject: return .link(object["id"] as? Int ?? -1)
        case let stored as any UntypedCollection:
            switch stored.contents {
            case .values(let values):
                let values = values.map { kept($0, .none) }
                return collection == .set ? .set(Set(values)) : .list(values)
            case .entries(let entries):
                return .map(
                    Dictionary(
                        entries.map { ($0, kept($1, .none)) }, uniquingKeysWith: { $1 }))
            }
        default:
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return .nothing }
            return kept(mirror.children.first?.value, collection)
        }
    }

    private func kept(_ value: AnyRealmValue) -> Kept {
        switch value {
        case .int(let number): .int(number)
        case .float(let number): .double(Double(number))
        case .double(let number): .double(number)
        case .decimal128(let number): .decimal(number)
        case .string(let text): .text(text)
        case .object(let object): .link(object["id"] as? Int ?? -1)
        case .list(let list): .list(list.map { kept($0) })
        case .dictionary(let map):
            .map(Dictionary(map.map { ($0.key, kept($0.value)) }, uniquingKeysWith: { $1 }))
        default: .nothing
        }
    }
}
