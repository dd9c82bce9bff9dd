/// Declared steps with the names resolved: of each type its renamings, and how the values of each
/// object are made of stored ones.
///
/// The steps of all versions are followed by names first, from the properties that are stored to
/// those that the classes have. Then each object is read once, goes through all steps, and is
/// written once.
struct ResolvedSteps {
    /// Where a value comes from.
    enum Source {
        /// A stored property, by its stored name.
        case stored(String)
        /// What a step made: a place among the values of the object.
        case made(Int)
    }

    /// The steps of a type.
    struct TypeSteps {
        struct Call {
            let sources: [Source]
            let targets: Range<Int>
            let transform: @Sendable ([Any?]) throws -> [Any?]
        }

        let name: String
        let info: ClassInfo?
        /// Nil if it is not stored.
        let before: StoredObjectType?
        /// The properties as of the step that was followed last.
        var sources: [String: Source] = [:]
        var constants: [(place: Int, value: Any?)] = []
        var calls: [Call] = []
        var valueCount = 0
        /// Names that steps made, and that nothing takes.
        var unused: [String: UInt64] = [:]
        var isDeleted = false
    }

    private(set) var types: [TypeSteps] = []
    private(set) var problems: [String] = []
    private let stored: StoredSchema
    private let classes: [ClassInfo]

    init(_ versions: [MigrationVersion], stored: StoredSchema, classes: [ClassInfo]) {
        self.stored = stored
        self.classes = classes
        for version in versions {
            for step in version.steps { follow(step, version.version) }
        }
        for type in types where !type.isDeleted { checkEnd(type) }
    }

    // MARK: Names

    private mutating func follow(_ step: MigrationStep, _ version: UInt64) {
        let index = index(of: step.typeName)
        if types[index].isDeleted {
            problems.append(
                "Version \(version) of `migrations` has a step for '\(step.typeName)', which a step "
                    + "before it deletes.")
            return
        }
        if case .delete = step.kind {
            types[index].isDeleted = true
            return
        }
        // A type that came after the stored version has no objects yet.
        if types[index].before == nil { return }
        switch step.kind {
        case .rename(let from, let to):
            guard let source = take(from, index, version) else { return }
            if types[index].sources[to] != nil {
                problems.append(
                    "Version \(version) of `migrations` renames '\(step.typeName).\(from)' to "
                        + "'\(to)', which there is already.")
                return
            }
            types[index].sources[from] = nil
            types[index].sources[to] = source
            types[index].unused[to] = version
        case .add(let name, let value):
            if types[index].sources[name] != nil { return }
            types[index].constants.append((types[index].valueCount, value.value))
            make([name], index, version)
        case .values(let names, let targets, let transform):
            let sources = names.compactMap { take($0, index, version) }
            guard sources.count == names.count else { return }
            let start = types[index].valueCount
            make(targets, index, version)
            types[index].calls.append(
                TypeSteps.Call(
                    sources: sources, targets: start..<(start + targets.count),
                    transform: transform))
        case .delete: break
        }
    }

    private mutating func make(_ names: [String], _ index: Int, _ version: UInt64) {
        for name in names {
            types[index].sources[name] = .made(types[index].valueCount)
            types[index].valueCount += 1
            types[index].unused[name] = version
        }
    }

    /// Where a property that a step names comes from.
    private mutating func take(_ name: String, _ index: Int, _ version: UInt64) -> Source? {
        types[index].unused[name] = nil
        if let source = types[index].sources[name] { return source }
        let publicName = types[index].info?.properties.first { $0.name == name }?.storedName
        if let publicName, let source = types[index].sources[publicName] { return source }
        let type = types[index].name
        problems.append(
            "Version \(version) of `migrations` takes '\(type).\(name)', which realms of version "
                + "\(stored.version) don't have."
                + NearNames.advice(on: name, among: types[index].sources.keys.sorted())
                + " If it came with a version in between, add it in that version: "
                + "`.add(\"\(type)\", \"\(name)\", value: …)`.")
        return nil
    }

    private mutating func index(of typeName: String) -> Int {
        let named = classes.filter { $0.className == typeName }
        let info = named.count == 1 ? named[0] : classes.first { $0.storedName == typeName }
        let name = info?.storedName ?? typeName
        if let index = types.firstIndex(where: { $0.name == name }) { return index }
        let before = stored.type(named: name)
        var steps = TypeSteps(name: name, info: info, before: before)
        for property in before?.properties ?? [] {
            steps.sources[property.name] = .stored(property.name)
        }
        types.append(steps)
        return types.count - 1
    }

    /// Notes what is wrong with a type after its last step.
    private mutating func checkEnd(_ type: TypeSteps) {
        guard let info = type.info else {
            if type.before == nil {
                let names =
                    classes.flatMap { [$0.className, $0.storedName] }
                    + stored.types.map(\.name)
                let near = NearNames.near(type.name, among: Set(names).sorted())
                problems.append(
                    "`migrations` has steps for a type '\(type.name)' that there is not."
                        + (near.isEmpty
                            ? "" : " Did you mean '\(near.joined(separator: "' or '"))'?"))
            } else if !type.calls.isEmpty || !type.unused.isEmpty {
                problems.append(
                    "`migrations` has steps for the type '\(type.name)', which has no class. Delete "
                        + "it with `.delete(\"\(type.name)\")`.")
            }
            return
        }
        for (name, version) in type.unused.sorted(by: { $0.key < $1.key })
        where info.property(called: name) == nil {
            problems.append(
                "Version \(version) of `migrations` makes '\(type.name).\(name)', which the class "
                    + "does not have, and no later step takes it."
                    + NearNames.advice(on: name, among: info.properties.map(\.name)))
        }
    }

    // MARK: Objects

    /// Does to the objects of a migration what the steps say.
    func run(_ migration: Migration) throws {
        for type in types where !type.isDeleted {
            guard type.before != nil, let info = type.info else { continue }
            try run(type, info, migration)
        }
        for type in types where type.isDeleted { migration.deleteData(forType: type.name) }
    }

    private func run(_ type: TypeSteps, _ info: ClassInfo, _ migration: Migration) throws {
        var assignments: [(name: String, place: Int)] = []
        for (name, source) in type.sources.sorted(by: { $0.key < $1.key }) {
            guard let property = info.property(called: name) else { continue }
            switch source {
            case .made(let place): assignments.append((property.name, place))
            case .stored(let old) where old != property.storedName:
                migration.renameProperty(onType: type.name, from: old, to: property.storedName)
            case .stored: break
            }
        }
        if assignments.isEmpty { return }
        var start = [Any?](repeating: nil, count: type.valueCount)
        for (place, value) in type.constants { start[place] = value }
        var known: StepSlots?
        try migration.enumerateObjects(ofType: type.name) { old, new in
            guard let old, let new else { return }
            let slots = try known ?? StepSlots(type, assignments, old.table, new.table)
            known = slots
            var values = start
            for (call, sources) in zip(type.calls, slots.sources) {
                let made = try call.transform(
                    sources.map { source in
                        switch source {
                        case .stored(let slot): migration.old.value(of: old, slot: slot)
                        case .made(let place): values[place]
                        }
                    })
                guard made.count == call.targets.count else {
                    throw Realm.Error(
                        .invalidInput,
                        "A step of the migration of '\(type.name)' names \(call.targets.count) "
                            + "properties and makes \(made.count) values.")
                }
                for (place, value) in zip(call.targets, made) { values[place] = value }
            }
            for (slot, place) in slots.assignments {
                migration.new.set(new, slot: slot, toAny: values[place])
            }
        }
    }
}

/// The slots of what the steps of a type read and set, found once for all its objects.
private struct StepSlots {
    enum Source {
        case stored(Int)
        case made(Int)
    }

    /// For each call.
    let sources: [[Source]]
    let assignments: [(slot: Int, place: Int)]

    init(
        _ steps: ResolvedSteps.TypeSteps, _ assignments: [(name: String, place: Int)],
        _ old: TableState, _ new: TableState
    ) throws {
        func slot(_ name: String, _ table: TableState) throws -> Int {
            if let slot = table.slot(named: name) { return slot }
            throw Realm.Error(
                .schemaMismatch, "The stored '\(steps.name)' has no property '\(name)'.")
        }
        sources = try steps.calls.map { call in
            try call.sources.map { source in
                switch source {
                case .stored(let name): .stored(try slot(name, old))
                case .made(let place): .made(place)
                }
            }
        }
        self.assignments = try assignments.map { (try slot($0.name, new), $0.place) }
    }
}

extension ClassInfo {
    /// The property with a public or stored name.
    func property(called name: String) -> Property? {
        properties.first { $0.name == name } ?? properties.first { $0.storedName == name }
    }
}
