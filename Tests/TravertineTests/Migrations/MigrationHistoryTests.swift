import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Random schemas, objects and blocks, one version after another, compared with a plain model.
@Suite("Random migrations")
struct MigrationHistoryTests {
    @Test("objects are what a model of the block says", arguments: UInt64(0)..<12)
    func history(_ seed: UInt64) throws {
        var history = MigrationHistory(seed: seed)
        try history.fill()
        for version in 1...UInt64(4) {
            try history.migrate(to: version)
            try history.compare("seed \(seed), version \(version)")
        }
    }
}

/// A realm that migrates, and what it should hold.
private struct MigrationHistory {
    typealias Objects = [String: [Int: [String: MigratedValue]]]

    private let realm = MigratedRealm()
    private var random: SeededRandom
    private var schema = MigratedSchema()
    private var objects: Objects = ["A": [:], "B": [:]]
    private var nextTag = 1
    private var version: UInt64 = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        schema.change(&random)
        schema.change(&random)
    }

    private func configuration(_ block: MigrationBlock? = nil) -> Realm.Configuration {
        var configuration = realm.configuration([], version: version, block)
        configuration.objectSchemas = schema.objectSchemas
        return configuration
    }

    private func fields(_ type: String) -> [(key: String, value: MigratedSchema.Field)] {
        (schema.types[type] ?? [:]).sorted { $0.key < $1.key }
    }

    /// New objects of a type, with links to those that there are.
    private mutating func made(_ type: String, _ count: Int) -> [(Int, [String: MigratedValue])] {
        let targets = (objects[MigratedSchema.target(type)] ?? [:]).keys.sorted()
        return (0..<count).map { _ in
            var values: [String: MigratedValue] = ["tag": .int(nextTag)]
            for (name, field) in fields(type) {
                values[name] = .made(field.shape, random.below(1 << 10), targets: targets)
            }
            nextTag += 1
            return (nextTag - 1, values)
        }
    }

    mutating func fill() throws {
        for turn in 0..<2 {
            for type in MigratedSchema.names {
                let new = made(type, 10 + 20 * turn)
                try realm.open(configuration()) { realm in
                    try realm.write {
                        let targets = realm.dynamicObjects(MigratedSchema.target(type))
                        let byTag = Dictionary(
                            uniqueKeysWithValues: targets.map { ($0["tag"] as? Int ?? 0, $0) })
                        for (_, values) in new {
                            realm.dynamicCreate(
                                type, value: values.mapValues { $0.plain(byTag) as Any })
                        }
                    }
                }
                for (tag, values) in new { objects[type]?[tag] = values }
            }
        }
    }

    // MARK: Migrating

    /// What a block does with one property.
    private enum Rule {
        /// Sets what follows from the tag.
        case make(MigratedShape, salt: Int)
        /// Sets what another property had.
        case copy(String)
    }

    private struct Rules {
        var renamings: [(from: String, to: String)] = []
        var properties: [(name: String, rule: Rule)] = []
        var deleted: Set<Int> = []
        var deletesAll = false
    }

    private mutating func rules(_ type: String, _ before: MigratedSchema) -> Rules {
        var rules = Rules()
        let old = before.types[type] ?? [:]
        let new = schema.types[type] ?? [:]
        var removed = old.filter { new[$0.key] == nil }
        for (name, field) in fields(type) {
            let isKept = old[name].map { $0.shape.required == field.shape.required } ?? false
            let fits = removed.filter {
                $0.value.shape == field.shape
                    || $0.value.shape == field.shape.required && field.shape != .any
            }
            if old[name] == nil, let from = fits.keys.sorted().first, random.chance(50) {
                rules.renamings.append((from, name))
                removed[from] = nil
                continue
            }
            let sources = old.filter { $0.value.shape == field.shape }.keys.sorted()
            if !sources.isEmpty, random.chance(30) {
                rules.properties.append((name, .copy(random.pick(sources))))
            } else if random.chance(30) || old[name] != nil && !isKept {
                rules.properties.append((name, .make(field.shape, salt: random.below(99))))
            }
        }
        for tag in (objects[type] ?? [:]).keys.sorted() where random.chance(8) {
            rules.deleted.insert(tag)
        }
        rules.deletesAll = random.chance(6)
        return rules
    }

    /// What the block makes of the objects, without a realm.
    private func expected(_ rules: [String: Rules], _ targets: [String: [Int]]) -> Objects {
        var result: Objects = ["A": [:], "B": [:]]
        for type in MigratedSchema.names {
            guard let rule = rules[type], !rule.deletesAll else { continue }
            for (tag, old) in objects[type] ?? [:] where !rule.deleted.contains(tag) {
                var new: [String: MigratedValue] = ["tag": .int(tag)]
                for (name, field) in fields(type) {
                    let from = rule.renamings.first { $0.to == name }?.from ?? name
                    let value = old[from] ?? field.shape.nothing
                    let isNil = value == .none && field.shape.nothing != .none
                    new[name] = isNil ? field.shape.nothing : value
                }
                for (name, rule) in rule.properties {
                    switch rule {
                    case .copy(let from): new[name] = old[from]
                    case .make(let shape, let salt):
                        new[name] = .made(
                            shape, tag + salt, targets: targets[MigratedSchema.target(type)] ?? [])
                    }
                }
                result[type]?[tag] = new
            }
        }
        let there = Set(result.values.flatMap(\.keys))
        let gone = Set(objects.values.flatMap(\.keys)).subtracting(there)
        return result.mapValues { $0.mapValues { $0.mapValues { $0.without(gone) } } }
    }

    mutating func migrate(to version: UInt64) throws {
        let before = schema
        schema.change(&random)
        self.version = version
        var rules: [String: Rules] = [:]
        for type in MigratedSchema.names { rules[type] = self.rules(type, before) }
        let targets = objects.mapValues { $0.keys.sorted() }
        let renamesFirst = random.chance(50)
        let old = objects
        objects = expected(rules, targets)
        var created: [(String, Int, [String: MigratedValue])] = []
        for type in MigratedSchema.names {
            created += made(type, random.below(3)).map { (type, $0.0, $0.1) }
        }
        for (type, tag, values) in created { objects[type]?[tag] = values }
        let (steps, new) = (rules, created)
        try realm.open(
            configuration { migration, _ in
                if renamesFirst { Self.rename(migration, steps) }
                let byTag = Self.newObjects(migration)
                for type in MigratedSchema.names {
                    guard let rule = steps[type] else { continue }
                    if rule.deletesAll { migration.deleteData(forType: type) }
                    Self.rewrite(migration, type, rule, byTag, targets, old)
                }
                if !renamesFirst { Self.rename(migration, steps) }
                for (type, _, values) in new {
                    migration.create(type, value: values.mapValues { $0.plain(byTag) as Any })
                }
            })
    }

    private static func rename(_ migration: Migration, _ rules: [String: Rules]) {
        for (type, rule) in rules {
            for (from, to) in rule.renamings {
                migration.renameProperty(onType: type, from: from, to: to)
            }
        }
    }

    private static func newObjects(_ migration: Migration) -> [Int: DynamicObject] {
        var byTag: [Int: DynamicObject] = [:]
        for type in MigratedSchema.names {
            migration.enumerateObjects(ofType: type) { old, new in
                byTag[old?["tag"] as? Int ?? -1] = new
            }
        }
        return byTag
    }

    private static func rewrite(
        _ migration: Migration, _ type: String, _ rule: Rules, _ byTag: [Int: DynamicObject],
        _ targets: [String: [Int]], _ objects: Objects
    ) {
        migration.enumerateObjects(ofType: type) { old, new in
            guard let old, let new, let tag = old["tag"] as? Int else { return }
            let there = byTag.filter { !$0.value.isInvalidated }
            for (name, rule) in rule.properties {
                switch rule {
                case .copy(let from): new[name] = old[from]
                case .make(let shape, let salt):
                    let value = MigratedValue.made(
                        shape, tag + salt, targets: targets[MigratedSchema.target(type)] ?? [])
                    new[name] = value.plain(there)
                }
            }
            if rule.deleted.contains(tag) { migration.delete(new) }
        }
    }

    // MARK: Comparing

    func compare(_ comment: String) throws {
        try realm.open(configuration()) { realm in
            for type in MigratedSchema.names {
                var found: [Int: [String: MigratedValue]] = [:]
                for object in realm.dynamicObjects(type) {
                    var values: [String: MigratedValue] = ["tag": MigratedValue(object["tag"])]
                    for (name, _) in fields(type) { values[name] = MigratedValue(object[name]) }
                    found[object["tag"] as? Int ?? -1] = values
                }
                let expected = objects[type] ?? [:]
                #expect(found.keys.sorted() == expected.keys.sorted(), "\(comment), \(type)")
                for (tag, values) in expected where found[tag] != values {
                    for (name, value) in values where found[tag]?[name] != value {
                        Issue.record(
                            "\(comment): \(type) \(tag).\(name) is \(String(describing: found[tag]?[name])), not \(value)"
                        )
                    }
                    break
                }
            }
        }
    }
}
