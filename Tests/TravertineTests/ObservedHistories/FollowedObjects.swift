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

    override func remember() { keys = current() }

    override func verifyNothing(_ step: HistoryStep) {
        verify(step, [], [], [])
        if comparingToken != nil, followed != compared {
            fail("followed as \(followed), compared as \(compared)")
        }
        (followed, compared) = ([], [])
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
        let elements = AppliedChange.apply(
            keys, new, deletions: deletions, insertions: insertions, modifications: modifications)
        guard let elements, elements.allSatisfy({ $0.old == $0.new }) else {
            return fail("\(text) does not lead from \(keys) to \(new)")
        }
        if keys == new, !deletions.isEmpty || !insertions.isEmpty {
            fail("\(text): nothing was moved in \(keys)")
        }
        for (key, _, isModified, isInserted) in elements where !isInserted {
            checkModified("\(key)", isModified, text) { step.isModified(key, paths, $0) }
        }
    }
}
