import RealmSwift

@testable import Travertine

/// An observed projection of an object.
final class FollowedProjection: FollowedThing {
    private let key: WorldKey

    init(_ history: ObservedHistory, _ key: WorldKey, _ stone: PoolStone) {
        self.key = key
        super.init("projection of \(key)", history, nil)
        token = PoolView(projecting: stone).observe { [unowned self] change in
            switch change {
            case .deleted:
                take { if $0.new.data.objects[key] != nil { fail("reported as deleted") } }
                end()
            case .change(let view, let properties):
                take { verify($0, view, properties) }
            case .error(let error): fail("\(error)")
            }
        }
        begin()
    }

    /// What is deleted unheard is never reported: nothing changes of it any more.
    override func skip() {
        super.skip()
        if history.version.data.objects[key] == nil { end() }
    }

    override func verifyNothing(_ step: HistoryStep) {
        if step.new.data.objects[key] == nil { return fail("not reported as deleted") }
        verify(step, nil, [])
    }

    private func verify(_ step: HistoryStep, _ view: PoolView?, _ changes: [PropertyChange]) {
        let names = changes.map(\.name)
        for (name, path) in PoolView.paths {
            checkModified(name, names.contains(name), "\(names)") {
                step.isModified(key, [path], $0)
            }
        }
        for change in changes where change.name == "title" {
            for (value, version) in [(change.oldValue, step.old), (change.newValue, step.new)] {
                let expected = version.data.objects[key]?.values["label"] ?? .null
                let found = World.read(value, false)
                if found.text != expected.text {
                    fail("title was reported as \(found.text) for \(expected.text)")
                }
            }
        }
        if let view, World.read(view.title, false).text != label(of: key, step.new) {
            fail("shows \(view.title)")
        }
    }

    private func label(of key: WorldKey, _ version: HistoryVersion) -> String? {
        version.data.objects[key]?.values["label"]?.text
    }
}

/// An observed projected collection: a property of the objects in a list.
final class FollowedProjectedValues: FollowedThing {
    private let key: WorldKey
    private let current: () -> [WorldValue]
    private var items: [WorldValue] = []

    init(_ history: ObservedHistory, _ key: WorldKey, _ stone: PoolStone) {
        self.key = key
        let view = PoolView(projecting: stone)
        current = {
            view.isInvalidated ? [] : view.kinLabels.map { World.read($0 as Any, false) }
        }
        super.init("projected collection of \(key)", history, nil)
        token = view.kinLabels.observe { [unowned self] change in
            switch change {
            case .initial: begin()
            case .update(_, let deletions, let insertions, let modifications):
                take { verify($0, deletions, insertions, modifications) }
            case .error(let error): fail("\(error)")
            }
        }
    }

    override func remember() { items = current() }

    override func verifyNothing(_ step: HistoryStep) { verify(step, [], [], []) }

    private func links(_ version: HistoryVersion) -> [WorldKey] {
        version.data.objects[key]?.values["kin"]?.links ?? []
    }

    private func verify(
        _ step: HistoryStep, _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
    ) {
        let text = "-\(deletions) +\(insertions) ~\(modifications)"
        checkAscending([deletions, insertions, modifications], text)
        let (old, new) = (links(step.old), links(step.new))
        let model = new.map { step.new.data.objects[$0]?.values["label"] ?? .null }
        let found = current()
        if found.map(\.text) != model.map(\.text) { fail("shows \(found), the model \(model)") }
        let elements = AppliedChange.apply(
            old, new, deletions: deletions, insertions: insertions, modifications: modifications)
        guard let elements, elements.allSatisfy({ $0.old == $0.new }) else {
            return fail("\(text) does not lead from \(old) to \(new)")
        }
        if old == new, !deletions.isEmpty || !insertions.isEmpty {
            fail("\(text): nothing was moved in \(old)")
        }
        for element in elements where !element.isInserted {
            checkModified("\(element.new)", element.isModified, text) {
                step.isModified(element.new, [["label"]], $0)
            }
        }
    }
}
