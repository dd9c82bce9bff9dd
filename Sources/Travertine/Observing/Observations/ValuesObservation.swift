import TravertineStore

/// An observation of values: of a collection of them, or of what a query finds in one.
final class ValuesObservation: Observation {
    /// A value, with what is in it if it is a list or dictionary itself.
    private struct Item {
        let value: RawConstant
        let contents: RawConstant?
    }

    private let state: ResultsState
    private let source: ResultsSource
    private let keyPaths: [PropertyPath]?
    private let block: (CollectionReport) -> Void
    /// The values as of the version that was reported; nil if they must be found again.
    @exclusivity(unchecked) private var items: [Item]?
    private let links: LinkedValues

    init(
        _ state: ResultsState, _ source: ResultsSource, keyPaths: [PropertyPath]?,
        _ block: @escaping (CollectionReport) -> Void
    ) {
        self.state = ResultsState(
            state.session, state.table, state.predicate, state.descriptors, source: source)
        self.source = source
        self.keyPaths = keyPaths
        self.block = block
        links = LinkedValues(keyPaths)
        super.init(state.session)
    }

    /// The values in the version that the session shows.
    private func currentItems() throws -> [Item] {
        var all: [Item] = []
        try source.forEachValue { _, raw in
            all.append(
                Item(value: RawConstant(raw), contents: try source.contents(of: raw)))
            return true
        }
        if state.predicate == nil, state.descriptors.isEmpty { return all }
        return try state.rows(after: state.descriptors).map { all[Int($0.key)] }
    }

    /// Whether a value may link to an object: one of any type.
    private var mayLink: Bool { source.element.map { $0.type.type == .any } ?? true }

    /// Values of any type may lead anywhere.
    override func interest() -> Interest {
        if mayLink { return .unlimited }
        var interest = Interest()
        interest.add(source)
        return interest
    }

    override func initialReport() throws -> (() -> Void)? {
        guard isUsable else { return nil }
        items = try currentItems()
        return { [block] in block(.initial) }
    }

    override func report(_ step: VersionStep) throws -> (() -> Void)? {
        guard isUsable else { return nil }
        let difference = try difference(step)
        return difference.isEmpty ? nil : { [block] in block(.update(difference)) }
    }

    override func restore() { items = nil }

    private var isUsable: Bool {
        if state.isInvalidated { end() }
        return !isEnded
    }

    private func difference(_ step: VersionStep) throws -> CollectionDifference {
        let affected =
            mayLink
            ? try links.affected(step, among: items?.count ?? 0) {
                try (items ?? currentItems()).map(\.value)
            } : nil
        let mayDiffer = try source.mayDiffer(in: step)
        if !mayDiffer, affected == nil { return CollectionDifference() }
        let old = try items ?? step.session.showing(step.older) { try currentItems() }
        let new = mayDiffer ? try currentItems() : old
        items = new
        var (deletions, insertions, kept) = CollectionDifference.matches(
            old.map(\.value), new.map(\.value))
        let moved = ResultsObservation.moved(kept) { _ in true }
        var difference = CollectionDifference()
        var staying: [KeptElement] = []
        for (element, isMoved) in zip(kept, moved) {
            if isMoved {
                deletions.append(element.old)
                insertions.append(element.new)
                continue
            }
            staying.append(element)
            if old[element.old].contents != new[element.new].contents
                || affected?(old[element.old].value) ?? false
            {
                difference.modifications.append(element.old)
            }
        }
        kept = staying
        difference.deletions = deletions
        difference.insertions = insertions
        difference.sort()
        if source.isList, state.predicate == nil, state.descriptors.isEmpty {
            difference.joinReplacements(between: kept)
        }
        return difference
    }
}

extension CollectionDifference {
    /// Makes one modification of a deletion and an insertion between the same two elements: a value
    /// of a list that was set.
    fileprivate mutating func joinReplacements(between kept: [KeptElement]) {
        var (oldRest, newRest): ([Int], [Int]) = ([], [])
        var (old, new) = (deletions[...], insertions[...])
        for index in 0...kept.count {
            let isLast = index == kept.count
            let deleted = old.prefix { isLast || $0 < kept[index].old }
            let inserted = new.prefix { isLast || $0 < kept[index].new }
            old = old.dropFirst(deleted.count)
            new = new.dropFirst(inserted.count)
            let pairCount = min(deleted.count, inserted.count)
            modifications += deleted.prefix(pairCount)
            oldRest += deleted.dropFirst(pairCount)
            newRest += inserted.dropFirst(pairCount)
        }
        (deletions, insertions) = (oldRest, newRest)
        modifications.sort()
    }
}

/// The objects among values of any type that count as modified.
final class LinkedValues {
    private let keyPaths: [PropertyPath]?
    private var nodes: [UInt32: WatchedNode] = [:]
    private var schemaChangeCount = UInt64.max

    init(_ keyPaths: [PropertyPath]?) { self.keyPaths = keyPaths }

    /// Whether a value links to an object that counts as modified; nil if none does.
    ///
    /// - Parameters:
    ///   - count: how many values are asked about.
    ///   - values: gives these.
    func affected(
        _ step: VersionStep, among count: Int, _ values: () throws -> [RawConstant]
    ) throws -> ((RawConstant) -> Bool)? {
        let session = step.session
        if schemaChangeCount != session.schemaChangeCount {
            nodes = [:]
            schemaChangeCount = session.schemaChangeCount
        }
        if step.changes.types.isEmpty { return nil }
        var targets: [UInt32: [UInt64]]?
        var affected: [UInt32: Set<UInt64>] = [:]
        for type in session.schema.types where !type.isAsymmetric {
            guard let table = session.table(number: type.number) else { continue }
            let node = nodes[type.number] ?? WatchedResults.modification(table, keyPaths)
            nodes[type.number] = node
            let keys = try step.affectedKeys(node, among: count) {
                let found = try targets ?? Self.targets(of: values())
                targets = found
                return found[type.number] ?? []
            }
            if !keys.isEmpty { affected[type.number] = keys }
        }
        if affected.isEmpty { return nil }
        return { value in
            guard let target = Self.target(of: value) else { return false }
            return affected[target.type]?.contains(target.key) ?? false
        }
    }

    /// The objects that values link to, by type.
    private static func targets(of values: [RawConstant]) -> [UInt32: [UInt64]] {
        var targets: [UInt32: [UInt64]] = [:]
        for case let target? in values.lazy.map(target) {
            targets[target.type, default: []].append(target.key)
        }
        return targets
    }

    private static func target(of value: RawConstant) -> (type: UInt32, key: UInt64)? {
        guard case .bytes(let bytes) = value else { return nil }
        return bytes.withUnsafeBytes {
            guard case .object(let type, let key) = MixedCode.reference(in: $0) else { return nil }
            return (type, key)
        }
    }
}
