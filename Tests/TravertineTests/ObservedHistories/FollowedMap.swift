import RealmSwift

@testable import Travertine

/// An observed map.
final class FollowedMap: FollowedThing {
    private let key: WorldKey
    private let property: String

    init<Value: RealmCollectionValue>(
        _ history: ObservedHistory, _ paths: [[String]]?, _ key: WorldKey, _ property: String,
        _ map: Map<String, Value>
    ) {
        (self.key, self.property) = (key, property)
        super.init("map \(key).\(property)", history, paths)
        token = map.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: begin()
            case .update(_, let deletions, let insertions, let modifications):
                take { verify($0, deletions, insertions, modifications) }
            case .error(let error): fail("\(error)")
            }
        }
    }

    override func verifyNothing(_ step: HistoryStep) {
        // The map of a deleted object reports its deletion, or ends.
        if step.new.data.objects[key] == nil { return end() }
        verify(step, [], [], [])
    }

    private func entries(_ version: HistoryVersion) -> [String: WorldValue] {
        if case .dictionary(let values)? = version.data.objects[key]?.values[property] {
            return values
        }
        return [:]
    }

    /// What it knows, with what was committed in its block by itself.
    private func remembered(_ step: HistoryStep) -> [String: WorldValue] {
        var known = entries(step.old)
        for inside in step.inside where inside.isOwn {
            let (old, new) = (entries(inside.step.old), entries(inside.step.new))
            for name in Set(old.keys).union(new.keys) where old[name]?.text != new[name]?.text {
                known[name] = new[name]
            }
        }
        return known
    }

    private func verify(
        _ step: HistoryStep, _ deletions: [String], _ insertions: [String],
        _ modifications: [String]
    ) {
        let text = "-\(deletions) +\(insertions) ~\(modifications)"
        let (old, new) = (remembered(step), entries(step.new))
        if deletions != old.keys.filter({ new[$0] == nil }).sorted() { fail("deletions: \(text)") }
        if insertions != new.keys.filter({ old[$0] == nil }).sorted() {
            fail("insertions: \(text)")
        }
        if modifications != modifications.sorted() { fail("not ascending: \(text)") }
        let steps = [step] + step.inside.map(\.step)
        let wasRewritten = steps.contains { $0.differs(property, of: key, .may) }
        for (name, value) in new {
            guard let before = old[name] else { continue }
            checkModified(name, modifications.contains(name), text) { strictness in
                if before.text != value.text { return true }
                if case .link(let key) = value, step.isModified(key, paths, strictness) {
                    // Of a link that the block set itself it need not know what was before.
                    return strictness == .may
                        || step.inside.allSatisfy { entries($0.step.old)[name]?.text == value.text }
                }
                return strictness == .may && wasRewritten
            }
        }
    }
}
