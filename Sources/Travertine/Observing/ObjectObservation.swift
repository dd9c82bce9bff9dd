import TravertineStore

/// What happened to an object that is observed.
enum ObjectReport {
    /// The names of the properties that count as changed, with their values before.
    case change([(name: String, old: Any?)])
    case deleted
}

/// An observation of one object.
///
/// Each property is watched by a node: by itself only, or with what the key paths that begin with it
/// lead to.
final class ObjectObservation: Observation {
    private let object: ObjectBase
    private let keyPaths: [PropertyPath]?
    private let block: (ObjectReport) -> Void
    /// A node for each property, by its public name.
    @exclusivity(unchecked) private var nodes: [(name: String, node: WatchedNode)] = []
    @exclusivity(unchecked) private var schemaChangeCount = UInt64.max
    /// The properties that changed in versions which the block was not told.
    @exclusivity(unchecked) private var untold: Set<String> = []

    init(
        _ object: ObjectBase, _ session: RealmSession, keyPaths: [PropertyPath]?,
        _ block: @escaping (ObjectReport) -> Void
    ) {
        self.object = object
        self.keyPaths = keyPaths
        self.block = block
        super.init(session)
    }

    override func report(_ step: VersionStep) throws -> (() -> Void)? {
        if object.invalidationCount != session.invalidationCount {
            end()
            return nil
        }
        let table = object.table
        // The row may have gone and come back under its key: that is a change (D1).
        guard try session.hasRow(object.key, in: table) else {
            return { [self, block] in
                end()
                block(.deleted)
            }
        }
        let names = try changedNames(step).union(untold)
        untold = []
        if names.isEmpty { return nil }
        let ordered = watched(table).map(\.name).filter { names.contains($0) }
        let old = try session.showing(step.older) { ordered.map { ($0, oldValue($0)) } }
        return { [block] in block(.change(old)) }
    }

    override func skip(_ own: VersionStep, missed: VersionStep?) throws {
        guard let missed else { return }
        untold.formUnion(try session.showing(missed.newer) { try changedNames(missed) })
    }

    private func changedNames(_ step: VersionStep) throws -> Set<String> {
        var names: Set<String> = []
        for (name, node) in watched(object.table) {
            if try step.affectedKeys(node).contains(object.key) { names.insert(name) }
        }
        return names
    }

    private func watched(_ table: TableState) -> [(name: String, node: WatchedNode)] {
        if schemaChangeCount == session.schemaChangeCount { return nodes }
        let paths =
            keyPaths
            ?? table.publicNames.map { PropertyPath(names: [$0]) }
        var found: [(name: String, node: WatchedNode)] = []
        for path in paths {
            guard let first = path.steps.first else { continue }
            var names: [String] = []
            if case .property(WatchedNode.wildcard) = first {
                names = table.publicNames
            } else if case .property(let name) = first {
                names = [table.publicName(of: name)]
            }
            for name in names {
                let own = PropertyPath([.property(name)] + path.steps.dropFirst())
                if !found.contains(where: { $0.name == name }) {
                    found.append((name, WatchedNode(table)))
                }
                let node = found.first { $0.name == name }?.node
                // They were checked; of what a wildcard stands for not each leads on.
                try? node?.add(own)
            }
        }
        nodes = found
        schemaChangeCount = session.schemaChangeCount
        return found
    }

    /// The value in the version that the session shows. Collections show the newest version only;
    /// so do linked objects, which may be gone.
    private func oldValue(_ name: String) -> Any? {
        guard session.resolve(object) else { return nil }
        if let slot = object.table.slot(named: name) {
            if object.table.properties[slot].collection != .none { return nil }
        } else {
            return nil
        }
        let value = object[name]
        if let value = value as? AnyRealmValue {
            switch value {
            case .list, .dictionary: return nil
            default: return value
            }
        }
        return value
    }
}

extension TableState {
    /// The name that the class has for a property that is named by this or by its stored name.
    func publicName(of name: String) -> String {
        guard let classInfo, let slot = classInfo.slot(named: name) else { return name }
        return classInfo.properties[slot].name
    }
}
