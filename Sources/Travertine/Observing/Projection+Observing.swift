import Dispatch
import TravertineStore

/// A class of projections, whose objects can be observed.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
    /// The class of the objects that are seen.
    associatedtype Root: ObjectBase
    /// The object that is seen.
    var rootObject: Root { get }
    /// A view of an object.
    init(projecting object: Root)
}

extension Projection: ProjectionObservable {}

extension ThreadConfined where Self: ProjectionObservable {
    /// Calls a block with the projected properties that change, until the token is invalidated or
    /// let go of, or the object is deleted.
    ///
    /// As for objects; what a projected property leads to through links counts as its change.
    ///
    /// - Parameters:
    ///   - keyPaths: names of the projection's properties, or paths of the object that they show,
    ///     such as "address.city"; a name that is both is that of the projection's property.
    ///     Without any, all properties count.
    ///   - queue: where the block is called instead, as for objects.
    ///   - block: called with the properties that changed, and once with `.deleted`.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        beginObserving(on: queue, block) { $0.observeHere(keyPaths, block) }
    }

    private func observeHere(
        _ keyPaths: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let session = rootObject.checkedSession("projections")
        let properties = projectedProperties(keyPaths).map {
            $0.value.observed($0.name, rootObject.table)
        }
        let observation = ObjectObservation(rootObject, session, properties) { [self] report in
            switch report {
            case .deleted: block(.deleted)
            case .change(let values):
                let changes = values.map { name, old in
                    let property = properties.first { $0.name == name }
                    return PropertyChange(name: name, old: old, new: property?.read(rootObject))
                }
                block(.change(self, changes))
            }
        }
        return session.observeChanges(observation)
    }

    /// As `observe(keyPaths:_:)` with names.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: projectedNames(keyPaths), on: queue, block)
    }

    /// As `observe(keyPaths:_:)`, on an actor: the projection is handed over to the actor's realm,
    /// and the block is called there. The observation has begun when this returns.
    public func observe<Observer: Actor>(
        keyPaths: [String]? = nil, on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await beginObserving(on: actor, block) { $0.observeHere(keyPaths, $1) }
    }

    /// As `observe(keyPaths:on:_:)` with names.
    public func observe<Observer: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: Observer,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Observer, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: projectedNames(keyPaths), on: actor, block)
    }

    /// The names of the projected properties that key paths lead to. Stops for one that is none.
    private func projectedNames(_ keyPaths: [PartialKeyPath<Self>]) -> [String] {
        let all = projectedProperties
        return keyPaths.map { keyPath in
            let names = Self.tracedNames(keyPath)
            guard let property = all.first(where: { $0.value.tracedNames == names }) else {
                misuse("\(KeyPathText.text(of: keyPath)) is no projected property of \(Self.self).")
            }
            return property.name
        }
    }

    /// The projected properties that texts name: by their names, else by the paths that they show;
    /// all without any texts. Stops for one that names none.
    private func projectedProperties(
        _ texts: [String]?
    ) -> [(name: String, value: any ProjectedValue)] {
        let all = projectedProperties
        guard let texts, !texts.isEmpty else { return all }
        var chosen: Set<String> = []
        for text in texts {
            let named = all.filter { $0.name == text }
            let found =
                named.isEmpty
                ? all.filter { $0.value.tracedNames.joined(separator: ".") == text } : named
            if found.isEmpty {
                misuse(
                    "Can't observe '\(text)': \(Self.self) has no projected property of this name, "
                        + "and none shows this path."
                        + NearNames.advice(on: text, among: all.map(\.name)))
            }
            chosen.formUnion(found.map(\.name))
        }
        return all.filter { chosen.contains($0.name) }
    }

    /// The names of the object's properties that a key path of the projection goes through.
    private static func tracedNames(_ keyPath: PartialKeyPath<Self>) -> [String] {
        KeyPathTracer.names(of: Root.self) { Self(projecting: $0)[keyPath: keyPath] }
    }

    /// The projected properties in declared order, those of base classes last.
    fileprivate var projectedProperties: [(name: String, value: any ProjectedValue)] {
        var found: [(name: String, value: any ProjectedValue)] = []
        var mirror: Mirror? = Mirror(reflecting: self)
        while let current = mirror {
            for case (let label?, let value as any ProjectedValue) in current.children {
                found.append((String(label.dropFirst()), value))
            }
            mirror = current.superclassMirror
        }
        return found
    }

    /// The paths of what the projection shows.
    static var projectedPaths: [String] {
        Self(projecting: Root.newInstance()).projectedProperties.map {
            $0.value.tracedNames.joined(separator: ".")
        }
    }
}

extension ProjectedValue {
    /// The property as what is observed of an object. A computed property is one of everything that
    /// it reads.
    fileprivate func observed(_ name: String, _ table: TableState) -> ObservedProperty {
        let names = tracedNames
        var paths = [PropertyPath(names: names)]
        if (try? WatchedNode(table).add(paths[0])) == nil {
            paths = names.map { PropertyPath(names: [$0]) }
        }
        return ObservedProperty(name: name, paths: paths) {
            ObservedProperty.settled(value(of: $0))
        }
    }
}

extension KeyPathTracer {
    /// The names of the properties that a block reads of an object, which it gets as a noting one.
    static func names<Root: ObjectBase>(
        of type: Root.Type, _ read: (Root) -> Any
    ) -> [String] {
        let tracer = KeyPathTracer()
        let root = type.newInstance()
        tracer.attach(to: root)
        let end = read(root)
        return tracer.names + ((end as? any ProjectedElements)?.elementNames ?? [])
    }
}
