import RealmSwift

@testable import Travertine

/// What a history had in one version.
struct HistoryVersion {
    var data: WorldData
    /// How often a value was set that has lists or dictionaries in it. Setting it to what it is
    /// may be reported as a change (D-L2a).
    var rewriteCounts: [WorldKey: [String: Int]] = [:]
}

/// A commit in a block that is called for a change, by who observes or by another realm.
struct InsideStep {
    let step: HistoryStep
    let isOwn: Bool
    /// What the block's query found before and after it. A condition with an object that was
    /// deleted later finds something else in the same version.
    let found: (old: [WorldKey]?, new: [WorldKey]?)
}

/// What the model says of two versions: which properties differ, and which objects count as
/// modified.
final class HistoryStep {
    /// How changes that may be reported, and need not, are taken.
    enum Strictness: CaseIterable {
        /// What must be reported.
        case must
        /// What may be reported.
        case may
    }

    let old: HistoryVersion
    let new: HistoryVersion
    /// What was committed in the block that was called for the old version; nothing of what it
    /// committed itself is reported to it.
    var inside: [InsideStep] = []
    private let oldOrigins: WorldOrigins
    private let newOrigins: WorldOrigins
    /// What was found to differ, by object and property: all that is followed asks the same.
    private var differences: [WorldKey: [String: Bool]] = [:]

    init(_ old: HistoryVersion, _ new: HistoryVersion) {
        (self.old, self.new) = (old, new)
        (oldOrigins, newOrigins) = (WorldOrigins(old.data), WorldOrigins(new.data))
    }

    /// What came after all that was committed in the block.
    private(set) lazy var last = HistoryStep(inside.last?.step.new ?? old, new)

    /// Both versions, without what happened between them.
    private lazy var whole = HistoryStep(old, new)

    /// Whether a property of an object that both versions have differs.
    func differs(_ name: String, of key: WorldKey, _ strictness: Strictness) -> Bool {
        guard let before = old.data.objects[key], let after = new.data.objects[key] else {
            return false
        }
        let known = differences[key]?[name]
        let differs = known ?? differ(before, after, name)
        if known == nil { differences[key, default: [:]][name] = differs }
        if differs { return true }
        return strictness == .may
            && old.rewriteCounts[key]?[name] != new.rewriteCounts[key]?[name]
    }

    private func differ(_ before: WorldObject, _ after: WorldObject, _ name: String) -> Bool {
        let isSet = property(name, before.key)?.kind == .set
        return World.sorted(before.values[name] ?? .null, isSet).text
            != World.sorted(after.values[name] ?? .null, isSet).text
    }

    /// Whether an object counts as modified: as watched by key paths, or up to four links deep.
    /// What a block committed itself does not count.
    func isModified(_ key: WorldKey, _ paths: [[String]]?, _ strictness: Strictness) -> Bool {
        if !inside.isEmpty {
            let isModified =
                inside.contains { !$0.isOwn && $0.step.isModified(key, paths, strictness) }
                || last.isModified(key, paths, strictness)
            // What others changed, and changed back, need not be reported; what the block itself
            // set in between is what it knows.
            if isModified, strictness == .must,
                !inside.contains(where: { $0.isOwn && $0.step.isModified(key, paths, .may) })
            {
                return whole.isModified(key, paths, .must)
            }
            return isModified
        }
        guard let paths else { return isModified(key, depth: 4, strictness) }
        return paths.contains { isModified(key, $0[...], strictness) }
    }

    // MARK: Everything

    private func isModified(_ key: WorldKey, depth: Int, _ strictness: Strictness) -> Bool {
        var reached: Set = [key]
        var level = [key]
        for depth in 0...depth {
            if level.contains(where: { differs($0, strictness) }) { return true }
            if depth == 4 { break }
            level = level.flatMap { links(of: $0) }
                .filter { reached.insert($0).inserted }
        }
        return false
    }

    /// For a failure: the nearest objects that links lead to and that differ, and in what.
    func differences(from key: WorldKey) -> String {
        let parts = inside.map {
            "\($0.isOwn ? "own" : "other"): \($0.step.differences(from: key))"
        }
        if !parts.isEmpty { return "[\(parts), last: \(last.differences(from: key))]" }
        var reached: Set = [key]
        var level = [(key: key, path: "\(key.type) \(key.id)")]
        for _ in 0...4 {
            let found = level.flatMap { place in
                new.data.types[place.key.type]!.properties.filter {
                    !$0.isAdded && differs($0.name, of: place.key, .must)
                }.map { "\(place.path): \($0.name)" }
            }
            if !found.isEmpty { return found.joined(separator: "; ") }
            level = level.flatMap { place in
                links(of: place.key).map { ($0, "\(place.path) → \($0.type) \($0.id)") }
            }.filter { reached.insert($0.0).inserted }
        }
        return "none"
    }

    /// Properties that the class does not declare count only where they are named (O-L11).
    private func differs(_ key: WorldKey, _ strictness: Strictness) -> Bool {
        new.data.types[key.type]!.properties.contains {
            !$0.isAdded && differs($0.name, of: key, strictness)
        }
    }

    private func links(of key: WorldKey) -> [WorldKey] {
        guard let values = new.data.objects[key]?.values else { return [] }
        return new.data.types[key.type]!.properties.flatMap {
            $0.isAdded ? [] : (values[$0.name] ?? .null).links
        }
    }

    // MARK: Key paths

    private func property(_ name: String, _ key: WorldKey) -> WorldProperty? {
        new.data.types[key.type]?.property(name)
    }

    private func isModified(
        _ key: WorldKey, _ path: ArraySlice<String>, _ strictness: Strictness
    ) -> Bool {
        guard let name = path.first else { return false }
        let rest = path.dropFirst()
        if name == "*" {
            return differs(key, strictness)
                || !rest.isEmpty && links(of: key).contains { isModified($0, rest, strictness) }
        }
        guard let property = property(name, key) else { return false }
        if case .links(let type, let origin) = property.kind {
            let (before, after) = (
                oldOrigins.origins(of: key, type: type, property: origin),
                newOrigins.origins(of: key, type: type, property: origin)
            )
            return before != after || after.contains { isModified($0, rest, strictness) }
        }
        if differs(name, of: key, strictness) { return true }
        let links = (new.data.objects[key]?.values[name] ?? .null).links
        if rest.isEmpty {
            // An embedded object is a part of the object that owns it.
            return property.isEmbedded && links.contains { differs($0, strictness) }
        }
        return links.contains { isModified($0, rest, strictness) }
    }
}
