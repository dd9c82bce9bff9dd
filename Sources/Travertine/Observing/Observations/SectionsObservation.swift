import TravertineStore

/// What the block of sections is notified of; places are pairs of a section's position and one in
/// it.
enum SectionsReport {
    case initial
    case update(SectionsDifference)
}

/// What is different between two versions of sections.
///
/// The elements of sections that were deleted or inserted are not listed one by one.
struct SectionsDifference: Equatable {
    struct Place: Hashable, Comparable {
        let section: Int
        let item: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.section, left.item) < (right.section, right.item)
        }
    }

    /// In the old version, ascending.
    var deletions: [Place] = []
    /// In the new version, ascending.
    var insertions: [Place] = []
    /// In the old version, ascending.
    var modifications: [Place] = []
    /// In the old version, ascending.
    var deletedSections: [Int] = []
    /// In the new version, ascending.
    var insertedSections: [Int] = []

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
            && deletedSections.isEmpty && insertedSections.isEmpty
    }
}

/// An observation of sections, or of one.
final class SectionsObservation<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    Observation
{
    private enum Identity: Hashable {
        case object(ResultKey)
        case value(RawConstant)

        /// The key of an object of one of the results' tables.
        func key(ofPart part: UInt32) -> UInt64? {
            if case .object(let key) = self, key.part == part { key.key } else { nil }
        }
    }

    /// A key that is equal to itself, as NaN is not.
    private enum SectionName: Hashable {
        case key(Key)
        case notEqualToItself

        init(_ key: Key) { self = key == key ? .key(key) : .notEqualToItself }
    }

    private struct Section {
        let name: SectionName
        let items: [Identity]
    }

    private let state: SectionedState<Key, Element>
    /// The one section that is observed; nil for all.
    private let own: SectionName?
    private let keyPaths: [PropertyPath]?
    private let block: (SectionsReport) -> Void
    @exclusivity(unchecked) private var sections: [Section]?
    @exclusivity(unchecked) private var foundWatched: WatchedResults?

    init(
        _ state: SectionedState<Key, Element>, only key: Key?, keyPaths: [PropertyPath]?,
        _ block: @escaping (SectionsReport) -> Void
    ) {
        self.state = state
        own = key.map { SectionName($0) }
        self.keyPaths = keyPaths
        self.block = block
        super.init(state.results.state.session)
    }

    private var watched: WatchedResults {
        if let foundWatched, foundWatched.schemaChangeCount == session.schemaChangeCount,
            foundWatched.modification.count == state.results.state.tables.count
        {
            return foundWatched
        }
        let watched = WatchedResults(state.results.state, keyPaths)
        foundWatched = watched
        return watched
    }

    private func currentSections() throws -> [Section] {
        let results = state.results.state
        let rows = try results.all()
        let values = results.foundValues
        var all: [RawConstant] = []
        if let source = results.source, source.element != nil, values.isEmpty {
            try source.forEachValue { _, raw in
                all.append(RawConstant(raw))
                return true
            }
        }
        let isOfValues = results.source?.element != nil
        func identity(_ position: Int) -> Identity {
            if !isOfValues { return .object(ResultKey(rows[position])) }
            return .value(values.isEmpty ? all[Int(rows[position].key)] : values[position])
        }
        return try state.soundSections().map {
            Section(name: SectionName($0.key), items: $0.positions.map(identity))
        }
    }

    @exclusivity(unchecked) private var interestBasis: WatchedResults?

    /// The blocks that make keys may read any property.
    override func interest() -> Interest {
        interestBasis = watched
        var interest = Interest()
        for type in watched.types { interest.addAll(ofType: type) }
        if let source = state.results.state.source { interest.add(source) }
        return interest
    }

    override var interestIsCurrent: Bool {
        state.results.state.source == nil || interestBasis === watched
    }

    override func initialReport() throws -> (() -> Void)? {
        guard isUsable else { return nil }
        sections = try currentSections()
        return { [block] in block(.initial) }
    }

    override func report(_ step: VersionStep) throws -> (() -> Void)? {
        guard isUsable else { return nil }
        let difference = try difference(step)
        return difference.isEmpty ? nil : { [block] in block(.update(difference)) }
    }

    override func restore() { sections = nil }

    private var isUsable: Bool {
        if state.results.state.isInvalidated { end() }
        if !isEnded { state.results.state.takeTable() }
        return !isEnded
    }

    private func difference(_ step: VersionStep) throws -> SectionsDifference {
        let results = state.results.state
        let mayDiffer = try results.source?.mayDiffer(in: step) ?? false
        guard mayDiffer || step.concerns(watched.types) else { return SectionsDifference() }
        let old = try sections ?? session.showing(step.older) { try currentSections() }
        let new = try currentSections()
        sections = new
        var modified: [UInt32: Set<UInt64>] = [:]
        for (part, node) in watched.modification.enumerated() {
            modified[UInt32(part)] = try step.affectedKeys(
                node, among: old.reduce(0) { $0 + $1.items.count }
            ) {
                old.lazy.flatMap(\.items).compactMap { $0.key(ofPart: UInt32(part)) }
            }
        }
        return Self.difference(old, new, only: own) {
            guard case .object(let key) = $0 else { return false }
            return modified[key.part]?.contains(key.key) ?? false
        }
    }

    private static func difference(
        _ old: [Section], _ new: [Section], only own: SectionName?,
        _ isModified: (Identity) -> Bool
    ) -> SectionsDifference {
        var (deleted, inserted, kept) = CollectionDifference.matches(
            old.map(\.name), new.map(\.name))
        var difference = SectionsDifference()
        for (section, isMoved) in zip(kept, ResultsObservation.moved(kept) { _ in true }) {
            if isMoved {
                deleted.append(section.old)
                inserted.append(section.new)
            } else if own == nil || own == old[section.old].name {
                difference.add(section, old[section.old].items, new[section.new].items, isModified)
            }
        }
        difference.deletedSections = deleted.filter { own == nil || own == old[$0].name }.sorted()
        difference.insertedSections =
            inserted.filter { own == nil || own == new[$0].name }.sorted()
        difference.deletions.sort()
        difference.insertions.sort()
        difference.modifications.sort()
        return difference
    }
}

extension SectionsDifference {
    /// Adds the difference of a section that both versions have.
    fileprivate mutating func add<Identity: Hashable>(
        _ section: KeptElement, _ old: [Identity], _ new: [Identity],
        _ isModified: (Identity) -> Bool
    ) {
        let (deleted, inserted, kept) = CollectionDifference.matches(old, new)
        deletions += deleted.map { Place(section: section.old, item: $0) }
        insertions += inserted.map { Place(section: section.new, item: $0) }
        for (item, isMoved) in zip(kept, ResultsObservation.moved(kept) { _ in true }) {
            if isMoved {
                deletions.append(Place(section: section.old, item: item.old))
                insertions.append(Place(section: section.new, item: item.new))
            } else if isModified(old[item.old]) {
                modifications.append(Place(section: section.old, item: item.old))
            }
        }
    }
}
