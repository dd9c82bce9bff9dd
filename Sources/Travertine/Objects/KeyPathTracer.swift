import TravertineStore

/// Finds the names of the properties that a key path goes through, by following it on an object
/// that notes what is read.
///
/// A link hands back another noting object, a list one that seems to have an element.
final class KeyPathTracer {
    private(set) var names: [String] = []
    /// The objects that were followed, which fields without wrapper are found in at the end.
    private var objects: [ObjectBase] = []
    /// What notes the path, and the name that comes first, behind a field without wrapper.
    private let origin: (tracer: KeyPathTracer, name: String)?

    init() { origin = nil }

    /// A tracer for a field without wrapper, whose name is noted once something is asked of it.
    init(behind tracer: KeyPathTracer, named name: String) { origin = (tracer, name) }

    /// A clock at which nothing is ever current.
    nonisolated(unsafe) private static let stoppedClock: UnsafePointer<_Clock> = {
        let clock = UnsafeMutablePointer<_Clock>.allocate(capacity: 1)
        clock.initialize(to: _Clock(generation: 0, thread: 0))
        return UnsafePointer(clock)
    }()

    /// Makes an object note what is read from it.
    func attach(to object: ObjectBase) {
        if let origin {
            noteField()
            origin.tracer.attach(to: object)
            return
        }
        object.tracer = self
        object._clock = Self.stoppedClock
        object._stamp = _Clock.unresolvedStamp
        objects.append(object)
        object.attachBareFields(self)
    }

    /// Notes that something is asked of a field without wrapper.
    func noteField() {
        if let origin { origin.tracer.names.append(origin.name) }
    }

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

    private static let known = Locked<[SendableKeyPath: [String]]>([:])

    private struct SendableKeyPath: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    /// The names of the properties that a key path goes through; empty for one that goes elsewhere.
    static func names<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> [String] {
        let cacheKey = SendableKeyPath(keyPath: keyPath)
        if let names = known.withLock({ $0[cacheKey] }) { return names }
        let tracer = KeyPathTracer()
        let root = Root.init()
        tracer.attach(to: root)
        let end = root[keyPath: keyPath]
        if let last = tracer.objects.last, let name = last.nameOfBareField(holding: end) {
            tracer.names.append(name)
        }
        // The objects hold the tracer.
        tracer.objects = []
        known.withLock { $0[cacheKey] = tracer.names }
        return tracer.names
    }

    /// The name of a property that a key path names.
    static func requiredName<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String {
        let names = names(of: keyPath)
        guard !names.isEmpty else {
            misuse(
                "\(keyPath) does not lead to a persisted property of \(Root.className()): only "
                    + "@Persisted properties and links between them can be named here.")
        }
        return names.joined(separator: ".")
    }
}
