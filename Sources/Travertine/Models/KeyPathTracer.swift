import Locks
import TravertineStore

/// Finds the names of the properties that a key path goes through, by following it on an object
/// that notes what is read.
///
/// A link hands back another noting object, a list one that seems to have an element.
@usableFromInline
final class KeyPathTracer {
    private(set) var names: [String] = []
    /// What was read on the way, in order.
    private var reads: [Read] = []
    /// The objects that the path led to, in which fields without wrapper are found at the end.
    private var objects: [ObjectBase] = []
    /// For what follows a field without wrapper: the tracer of the path, and the field's name.
    private let origin: (tracer: KeyPathTracer, name: String)?

    init() { origin = nil }

    /// A tracer for a field without wrapper, whose name is noted once something is read of it.
    init(after tracer: KeyPathTracer, named name: String) { origin = (tracer, name) }

    /// A generation at which nothing is ever current.
    nonisolated(unsafe) private static let stoppedGeneration: UnsafePointer<Generation> = {
        let generation = UnsafeMutablePointer<Generation>.allocate(capacity: 1)
        generation.initialize(to: Generation(number: 0, thread: 0))
        return UnsafePointer(generation)
    }()

    /// Makes an object note what is read from it.
    func attach(to object: ObjectBase) {
        if let origin {
            noteField()
            origin.tracer.attach(to: object)
            return
        }
        object.tracer = self
        object._generation = Self.stoppedGeneration
        object._stamp = Generation.unresolvedStamp
        objects.append(object)
        object.attachUnwrappedProperties(self)
    }

    /// Notes that something is asked of a field without wrapper.
    func noteField() {
        guard let origin else { return }
        origin.tracer.names.append(origin.name)
        origin.tracer.reads.append(.field)
    }

    /// Notes which property is read through its wrapper.
    func note(_ property: AnyKeyPath) { reads.append(.wrapper(property)) }

    func note(_ offset: Int, in object: ObjectBase) {
        let info = ClassInfo.of(type(of: object))
        if let inverse = info.inverses.first(where: { $0.offset == offset }) {
            names.append(inverse.name)
            return
        }
        guard offset / 2 < info.slotByOffset.count else { return }
        let slot = info.slotByOffset[offset / 2]
        if slot >= 0 { names.append(info.properties[Int(slot)].name) }
    }

    private static let namesByKeyPath = Locked<[SendableKeyPath: [String]]>([:])

    private struct SendableKeyPath: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    /// The names of the properties that a key path goes through. Stops for one that names anything
    /// else, as computed properties and members of values do, whatever they read.
    static func requiredNames<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> [String] {
        let cacheKey = SendableKeyPath(keyPath: keyPath)
        if let names = namesByKeyPath.withLock({ $0[cacheKey] }) { return names }
        let tracer = KeyPathTracer()
        tracer.follow(keyPath)
        require(!tracer.names.isEmpty && tracer.isPath(keyPath), tracer.refusal(of: keyPath))
        namesByKeyPath.withLock { $0[cacheKey] = tracer.names }
        return tracer.names
    }

    /// The name of a property that a key path names, as far as it goes joined by dots.
    static func requiredName<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String {
        requiredNames(of: keyPath).joined(separator: ".")
    }

    private func follow<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) {
        let root = Root.newInstance()
        attach(to: root)
        let end = root[keyPath: keyPath]
        if let last = objects.last, let name = last.nameOfUnwrappedProperty(holding: end) {
            names.append(name)
            reads.append(.field)
        }
        // The objects hold the tracer.
        objects = []
    }
}

/// Distinguishing the key path of a property from one of something that reads the property.
extension KeyPathTracer {
    /// Something that was read on the way of a key path.
    fileprivate enum Read {
        /// A property, by the key path that its wrapper has of it.
        case wrapper(AnyKeyPath)
        /// A field without wrapper.
        case field

        func isMade(by component: KeyPathComponent) -> Bool {
            switch (self, component) {
            case (.field, .stored), (.wrapper, .requirement): true
            case (.wrapper(let property), .accessor):
                KeyPathComponent.components(of: property) == [component]
            default: false
            }
        }

        /// Whether its members are on the way, and are no properties themselves: the elements of a
        /// collection, the value of a `RealmProperty`.
        var leadsOn: Bool {
            switch self {
            case .field: true
            case .wrapper(let property):
                (type(of: property).valueType as? any _Persistable.Type)?._isCollection == true
            }
        }
    }

    /// Whether each component of a key path is the property that was read there.
    fileprivate func isPath(_ keyPath: AnyKeyPath) -> Bool {
        guard reads.count == names.count else { return false }
        guard let components = KeyPathComponent.components(of: keyPath) else { return true }
        var count = 0
        var isMember = false
        for component in components where component != .optional {
            if count < reads.count, reads[count].isMade(by: component) {
                count += 1
                isMember = false
            } else if count > 0, reads[count - 1].leadsOn {
                isMember = true
            } else {
                return false
            }
        }
        return count == reads.count && (!isMember || isRealmPropertyValue(keyPath))
    }

    private func isRealmPropertyValue(_ keyPath: AnyKeyPath) -> Bool {
        if case .field = reads.last {
            return type(of: keyPath).valueType is any RealmPropertyType.Type
        }
        return false
    }

    fileprivate func refusal<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String {
        // What reads everything, as `description` does, need not name it all.
        let first = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        let reason =
            names.isEmpty
            ? "" : ": it only reads \(first)\(names.count > 3 ? " and others" : "")"
        return
            "\(KeyPathText.text(of: keyPath)) is not a persisted property of \(Root.className())\(reason). Conditions, "
            + "aggregates and sorting take properties that are declared with @Persisted, and "
            + "links between them; compute other things from the objects themselves, or store "
            + "them in a property."
    }
}
