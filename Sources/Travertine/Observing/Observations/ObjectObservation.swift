import TravertineStore

/// What happened to an object that is observed.
enum ObjectDifference {
    /// The names of the properties that count as changed, with their values before.
    case change([(name: String, old: Any?)])
    case deleted
}

/// A property of what is observed: of an object, or of a projection of it.
struct ObservedProperty {
    let name: String
    /// The paths whose changes are changes of the property.
    let paths: [PropertyPath]
    /// Reads the value; nil for what only shows the newest state.
    let read: (ObjectBase) -> Any?
}

/// An observation of one object, as it is or as a projection shows it.
final class ObjectObservation: Observation {
    private let object: ObjectBase
    private let properties: [ObservedProperty]
    private let block: (ObjectDifference) -> Void
    /// A node for each property.
    @exclusivity(unchecked) private var nodes: [WatchedNode] = []
    @exclusivity(unchecked) private var schemaChangeCount = UInt64.max
    /// The properties that changed in versions which the block was not notified of, by position,
    /// with their values before.
    @exclusivity(unchecked) private var unreported: [Int: Any?] = [:]

    init(
        _ object: ObjectBase, _ session: RealmSession, _ properties: [ObservedProperty],
        _ block: @escaping (ObjectDifference) -> Void
    ) {
        self.object = object
        self.properties = properties
        self.block = block
        super.init(session)
    }

    override func interest() -> Interest {
        var interest = Interest()
        interest.addObject(object.key, of: object.table)
        for node in watched() { interest.addWays(of: node) }
        return interest
    }

    override func report(_ step: VersionStep) throws -> (() -> Void)? {
        if object.invalidationCount != session.counts.invalidationCount {
            end()
            return nil
        }
        let table = object.table
        // The row may have gone and come back under its key: that is a change (D-L1).
        guard try session.hasRow(object.key, in: table) else {
            return { [self, block] in
                end()
                block(.deleted)
            }
        }
        let changed = try changedProperties(step)
        let before = try values(changed, step.older).merging(unreported) { $1 }
        unreported = [:]
        if before.isEmpty { return nil }
        let values = before.sorted { $0.key < $1.key }.map { (properties[$0.key].name, $0.value) }
        return { [block] in block(.change(values)) }
    }

    override var owesReport: Bool { !unreported.isEmpty }

    override func skip(_ own: VersionStep, missed: VersionStep?) throws -> Bool {
        guard let missed else { return true }
        // An object that others deleted is reported as that.
        let isThere = try session.showing(missed.newer) {
            try session.hasRow(object.key, in: object.table)
        }
        guard isThere else { return false }
        let changed = try session.showing(missed.newer) { try changedProperties(missed) }
        unreported.merge(try values(changed, missed.older)) { first, _ in first }
        return true
    }

    /// Values of properties as a version has them.
    private func values(_ positions: Set<Int>, _ version: Snapshot) throws -> [Int: Any?] {
        if positions.isEmpty { return [:] }
        return try session.showing(version) {
            var values: [Int: Any?] = [:]
            for position in positions {
                values.updateValue(
                    session.resolve(object) ? properties[position].read(object) : nil,
                    forKey: position)
            }
            return values
        }
    }

    private func changedProperties(_ step: VersionStep) throws -> Set<Int> {
        var changed: Set<Int> = []
        for (position, node) in watched().enumerated() {
            let affected = try step.affectedKeys(node, among: 1) { [object.key] }
            if affected.contains(object.key) { changed.insert(position) }
        }
        return changed
    }

    private func watched() -> [WatchedNode] {
        if schemaChangeCount == session.schemaChangeCount { return nodes }
        nodes = properties.map { property in
            let node = WatchedNode(object.table)
            // They were checked; of what a wildcard stands for not each leads on.
            for path in property.paths { try? node.add(path) }
            return node
        }
        schemaChangeCount = session.schemaChangeCount
        return nodes
    }
}

extension ObservedProperty {
    /// The properties of a table's objects that paths begin with, each once and with all of its
    /// paths; without paths all properties, by themselves.
    static func properties(of table: TableState, _ paths: [PropertyPath]?) -> [ObservedProperty] {
        let paths = paths ?? [PropertyPath([.property(WatchedNode.wildcard)])]
        var names: [String] = []
        var pathsByName: [String: [PropertyPath]] = [:]
        for path in paths {
            guard case .property(let first)? = path.steps.first else { continue }
            let all =
                first == WatchedNode.wildcard ? table.publicNames : [table.publicName(of: first)]
            for name in all {
                if pathsByName[name] == nil { names.append(name) }
                pathsByName[name, default: []]
                    .append(PropertyPath([.property(name)] + path.steps.dropFirst()))
            }
        }
        return names.map { name in
            ObservedProperty(name: name, paths: pathsByName[name] ?? []) { object in
                guard let slot = object.table.slot(named: name),
                    object.table.properties[slot].collection == .none
                else { return nil }
                return settled(object[name])
            }
        }
    }

    /// A value that shows the state in which it was read; nil for collections.
    static func settled(_ value: Any?) -> Any? {
        guard let mixed = value as? AnyRealmValue else { return value }
        switch mixed {
        case .list, .dictionary: return nil
        default: return value
        }
    }
}

extension TableState {
    /// The name that the class, or the schema of a type without one, has for a property that is
    /// named by this or by its stored name.
    func publicName(of name: String) -> String {
        if let classInfo, let slot = classInfo.slot(named: name) {
            return classInfo.properties[slot].name
        }
        let properties = schema.properties
        if properties.contains(where: { $0.name == name }) { return name }
        return properties.first { $0.columnName == name }?.name ?? name
    }
}
