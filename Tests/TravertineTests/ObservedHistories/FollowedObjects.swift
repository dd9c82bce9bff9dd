import RealmSwift

@testable import Travertine

/// An observed collection of objects: results, lists, sets and linking objects.
final class FollowedObjects: FollowedThing {
    private var keys: [WorldKey] = []
    private let current: () -> [WorldKey]
    private let expected: (WorldData) throws -> [WorldKey]
    private let isUnordered: Bool
    /// What another observation was notified of, which always runs the query again.
    private var comparingToken: NotificationToken?
    private var followed: [String] = []
    private var compared: [String] = []
    /// Whether something was committed in its block since both were compared.
    private var hasWritten = false

    /// How often changes were followed without a query.
    var followedCount: Int { (token?.observation as? ResultsObservation)?.followedCount ?? 0 }

    init<Model: ObjectBase>(
        _ name: String, _ history: ObservedHistory, _ paths: [[String]]?, _ results: Results<Model>,
        isUnordered: Bool = false, _ expected: @escaping (WorldData) throws -> [WorldKey],
        current: (() -> [WorldKey])? = nil
    ) {
        self.isUnordered = isUnordered
        self.expected = expected
        self.current =
            current ?? { results.isInvalidated ? [] : results.map { World.key(of: $0) } }
        super.init(name, history, paths)
        token = results.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: begin()
            case .update(_, let deletions, let insertions, let modifications):
                followed.append("-\(deletions) +\(insertions) ~\(modifications)")
                take { verify($0, deletions, insertions, modifications) }
            case .error(let error): fail("\(error)")
            }
        }
        guard token?.observation is ResultsObservation else { return }
        comparingToken = results.observe(keyPaths: keyPaths) { [unowned self] change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                compared.append("-\(deletions) +\(insertions) ~\(modifications)")
            }
        }
        (comparingToken?.observation as? ResultsObservation)?.comparesAlways = true
    }

    override var tokens: [NotificationToken] { super.tokens + [comparingToken].compactMap { $0 } }

    override func found() -> [WorldKey]? { try? expected(history.world.data) }

    override func skip(inside steps: [InsideStep]) {
        hasWritten = true
        super.skip(inside: steps)
    }

    /// What it knows of results in the order of keys, with what was committed in its block by
    /// itself; nil where the order may be another.
    private func remembered(_ step: HistoryStep) -> [WorldKey]? {
        guard let observation = token?.observation as? ResultsObservation,
            observation.isInOrderOfKeys
        else { return nil }
        var known = Set(keys)
        for inside in step.inside where inside.isOwn {
            guard let old = inside.found.old, let new = inside.found.new else { return nil }
            known.subtract(Set(old).subtracting(new))
            known.formUnion(Set(new).subtracting(old))
        }
        let types = observation.state.tables.map(\.className)
        return known.sorted {
            (types.firstIndex(of: $0.type) ?? -1, $0.id) < (
                types.firstIndex(of: $1.type) ?? -1, $1.id
            )
        }
    }

    override func remember() { keys = current() }

    override func verifyNothing(_ step: HistoryStep) {
        verify(step, [], [], [])
        // The other one is notified of what is committed in its block.
        if comparingToken != nil, followed != compared, step.inside.isEmpty, !hasWritten {
            fail("followed as \(followed), compared as \(compared)")
        }
        (followed, compared) = ([], [])
        hasWritten = false
    }

    private func verify(
        _ step: HistoryStep, _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
    ) {
        let text = "-\(deletions) +\(insertions) ~\(modifications)"
        let new = current()
        checkAscending([deletions, insertions, modifications], text)
        if let model = try? expected(step.new.data) {
            let (found, wanted) = isUnordered ? (new.sorted(), model.sorted()) : (new, model)
            if found != wanted { fail("shows \(found), the model \(wanted)") }
        }
        let known = step.inside.isEmpty ? keys : remembered(step)
        guard let keys = known else {
            return checkPositions(deletions, insertions, modifications, new.count, text)
        }
        let elements = AppliedChange.apply(
            keys, new, deletions: deletions, insertions: insertions, modifications: modifications)
        guard let elements, elements.allSatisfy({ $0.old == $0.new }) else {
            return fail("\(text) does not lead from \(keys) to \(new)")
        }
        if keys == new, !deletions.isEmpty || !insertions.isEmpty {
            fail("\(text): nothing was moved in \(keys)")
        }
        for (key, _, isModified, isInserted) in elements where !isInserted {
            // Of what its block inserted itself it need not know what others changed before.
            let isKnown = self.keys.contains(key)
            let text = isModified ? text : "\(text), \(step.differences(from: key))"
            checkModified("\(key)", isModified, text) {
                (isKnown || $0 == .may ? step : step.last).isModified(key, paths, $0)
            }
        }
    }
}
