import RealmSwift

@testable import Travertine

/// An observed list or set of values, or results of one.
final class FollowedValues: FollowedThing {
    private let key: WorldKey
    private let property: String
    private let current: () -> [WorldValue]
    private let isUnordered: Bool
    private var items: [WorldValue] = []

    init<Element: RealmCollectionValue>(
        _ history: ObservedHistory, _ key: WorldKey, _ property: String,
        _ values: Results<Element>, isUnordered: Bool
    ) {
        (self.key, self.property, self.isUnordered) = (key, property, isUnordered)
        current = {
            values.isInvalidated ? [] : values.map { World.read($0 as Any, false) }
        }
        super.init("values \(key).\(property)\(isUnordered ? " in an order" : "")", history, nil)
        token = values.observe { [unowned self] change in
            switch change {
            case .initial: begin()
            case .update(_, let deletions, let insertions, let modifications):
                take { verify($0, deletions, insertions, modifications) }
            case .error(let error): fail("\(error)")
            }
        }
    }

    /// It is notified of all of them.
    override func skip(inside steps: [InsideStep]) {}

    override func remember() { items = current() }

    override func verifyNothing(_ step: HistoryStep) { verify(step, [], [], []) }

    private func verify(
        _ step: HistoryStep, _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
    ) {
        let text = "-\(deletions) +\(insertions) ~\(modifications)"
        let new = current()
        checkAscending([deletions, insertions, modifications], text)
        var model: [WorldValue] = []
        if case .list(let values)? = step.new.data.objects[key]?.values[property] { model = values }
        let texts = [new, model].map { $0.map(\.text) }
        if isUnordered ? texts[0].sorted() != texts[1].sorted() : texts[0] != texts[1] {
            fail("shows \(texts[0]), the model \(texts[1])")
        }
        let elements = AppliedChange.apply(
            items, new, deletions: deletions, insertions: insertions, modifications: modifications)
        guard let elements else {
            return fail("\(text) does not lead from \(items) to \(new)")
        }
        let wasRewritten =
            step.new.data.objects[key] == nil || step.differs(property, of: key, .may)
        for element in elements where !element.isInserted {
            let isSame = element.old.text == element.new.text
            checkModified(element.old.text, element.isModified, text) { strictness in
                if !isSame { return true }
                if case .link(let key) = element.new, step.isModified(key, nil, strictness) {
                    return true
                }
                return strictness == .may && wasRewritten
            }
        }
        if !wasRewritten, !deletions.isEmpty || !insertions.isEmpty {
            fail("\(text): nothing was set")
        }
    }
}
