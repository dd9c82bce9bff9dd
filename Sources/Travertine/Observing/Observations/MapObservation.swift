import TravertineStore

/// What the block of a map is notified of: keys, in the order of their bytes.
enum MapReport {
    case initial
    case update(deletions: [String], insertions: [String], modifications: [String])
}

/// An observation of the entries of a map.
final class MapObservation: Observation {
    private struct Entry: Equatable {
        let value: RawConstant
        let contents: RawConstant?
    }

    private let storage: CollectionStorage
    private let block: (MapReport) -> Void
    private let target: TableState?
    private let keyPaths: [PropertyPath]?
    private let links: LinkedValues
    private let invalidationCount: UInt32
    /// The entries as of the version that was reported; nil if they must be found again.
    @exclusivity(unchecked) private var entries: [String: Entry]?
    @exclusivity(unchecked) private var unreported: Set<String> = []

    init(
        _ storage: CollectionStorage, keyPaths: [PropertyPath]?,
        _ block: @escaping (MapReport) -> Void
    ) {
        self.storage = storage
        self.keyPaths = keyPaths
        self.block = block
        let property = storage.property
        target =
            storage.nesting == nil && property.type == .object
            ? storage.session.table(named: property.target) : nil
        links = LinkedValues(keyPaths)
        invalidationCount = storage.session.counts.invalidationCount
        super.init(storage.session)
    }

    private func currentEntries() throws -> [String: Entry] {
        guard try storage.isPresent() else { return [:] }
        var found: [String: Entry] = [:]
        try storage.visitElements { element in
            found[String(decoding: element.key, as: UTF8.self)] = Entry(
                value: RawConstant(element.value),
                contents: try storage.contents(of: element.value))
            return true
        }
        return found
    }

    /// Values of any type may lead anywhere.
    override func interest() -> Interest {
        if target == nil, storage.run.type == .any { return .unlimited }
        var interest = Interest()
        interest.addObject(storage.key, of: storage.table)
        if let target { interest.add(WatchedResults.modification(target, keyPaths)) }
        return interest
    }

    override func initialReport() throws -> (() -> Void)? {
        guard isUsable else { return nil }
        entries = try currentEntries()
        return { [block] in block(.initial) }
    }

    override func report(_ step: VersionStep) throws -> (() -> Void)? {
        guard isUsable else { return nil }
        let affected = try affected(step)
        let mayDiffer =
            hasMissed
            || step.changed(storage.property.number, of: storage.key, in: storage.table)
        if !mayDiffer, affected == nil, unreported.isEmpty { return nil }
        let old = try entries ?? step.session.showing(step.older) { try currentEntries() }
        let new = mayDiffer ? try currentEntries() : old
        entries = new
        let deletions = old.keys.filter { new[$0] == nil }
        let insertions = new.keys.filter { old[$0] == nil }
        let modifications = new.keys.filter { key in
            guard let value = new[key], let former = old[key] else { return false }
            return value != former || affected?(value.value) ?? false || unreported.contains(key)
        }
        unreported = []
        hasMissed = false
        if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty { return nil }
        return { [block] in
            block(
                .update(
                    deletions: Self.ordered(deletions), insertions: Self.ordered(insertions),
                    modifications: Self.ordered(modifications)))
        }
    }

    override var owesReport: Bool { hasMissed }

    override func skip(_ own: VersionStep, missed: VersionStep?) throws -> Bool {
        guard isUsable else { return true }
        if missed == nil, !hasMissed {
            _ = try report(own)
            return true
        }
        // What the block knows, with the entries that the transaction itself changed.
        let before = try session.showing(own.older) { try currentEntries() }
        let after = try currentEntries()
        var reported =
            try entries ?? session.showing((missed ?? own).older) { try currentEntries() }
        for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
            reported[key] = after[key]
        }
        if let missed, let affected = try session.showing(missed.newer, { try affected(missed) }) {
            for (key, entry) in after where reported[key] != nil && affected(entry.value) {
                unreported.insert(key)
            }
        }
        // Keys that came, went or got other values in the meantime are found by the next
        // comparison.
        entries = reported
        hasMissed = true
        return true
    }

    /// Whether the entries are those of no version, so that they must be compared.
    @exclusivity(unchecked) private var hasMissed = false

    /// Entries of no version could not be found again.
    override func restore() { if !hasMissed { entries = nil } }

    private var isUsable: Bool {
        if session.counts.invalidationCount != invalidationCount { end() }
        return !isEnded
    }

    /// Whether a value links to an object that counts as modified; nil if none does.
    private func affected(_ step: VersionStep) throws -> ((RawConstant) -> Bool)? {
        func values() throws -> [RawConstant] {
            try (entries ?? currentEntries()).values.map(\.value)
        }
        let count = entries?.count ?? 0
        guard let target else {
            return storage.run.type == .any
                ? try links.affected(step, among: count, values) : nil
        }
        let node = WatchedResults.modification(target, keyPaths)
        let keys = try step.affectedKeys(node, among: count) {
            try values().compactMap { value in
                if case .word(let word) = value { UInt64(bitPattern: word) } else { nil }
            }
        }
        if keys.isEmpty { return nil }
        return { value in
            guard case .word(let word) = value else { return false }
            return keys.contains(UInt64(bitPattern: word))
        }
    }

    private static func ordered(_ keys: [String]) -> [String] {
        keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
