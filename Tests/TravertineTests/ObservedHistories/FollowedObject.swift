import RealmSwift

@testable import Travertine

/// An observed object.
final class FollowedObject: FollowedThing {
    private let key: WorldKey

    init(_ history: ObservedHistory, _ paths: [[String]]?, _ key: WorldKey, _ object: Object) {
        self.key = key
        super.init("object \(key)", history, paths)
        token = observe(object)
        begin()
    }

    private func observe(_ object: Object) -> NotificationToken? {
        if let object = object as? DynamicObject {
            return object.observe(keyPaths: keyPaths) { [unowned self] in take($0) }
        }
        return (object as? any WorldClass)?.observed(by: self)
    }

    func take(_ change: ObjectChange<some Object>) {
        switch change {
        case .deleted:
            take { if $0.new.data.objects[key] != nil { fail("reported as deleted") } }
            end()
        case .change(_, let properties): take { verify($0, properties) }
        case .error(let error): fail("\(error)")
        }
    }

    /// What is deleted unheard is never reported: nothing changes of it any more.
    override func skip() {
        super.skip()
        if history.version.data.objects[key] == nil { end() }
    }

    override func verifyNothing(_ step: HistoryStep) {
        if step.new.data.objects[key] == nil { return fail("not reported as deleted") }
        verify(step, [])
    }

    private func verify(_ step: HistoryStep, _ changes: [PropertyChange]) {
        let names = changes.map(\.name)
        let text = "\(names)"
        if Set(names).count != names.count { fail("\(text): a property is reported twice") }
        for property in step.new.data.types[key.type]!.properties {
            let own = ownPaths(property)
            checkModified(property.name, names.contains(property.name), text) {
                step.isModified(key, own, $0)
            }
        }
        for change in changes { verify(step, change) }
    }

    /// The paths whose changes are changes of a property. What stands for all properties stands for
    /// no linking objects, and none that the class does not declare (V11).
    private func ownPaths(_ property: WorldProperty) -> [[String]] {
        (paths ?? [["*"]]).compactMap { path in
            if path[0] == "*" {
                let counts = property.isStored && !property.isAdded
                return counts ? [property.name] + path.dropFirst() : nil
            }
            return path[0] == property.name ? path : nil
        }
    }

    /// Compares a value before with the model's; of collections and links there is no such rule.
    private func verify(_ step: HistoryStep, _ change: PropertyChange) {
        guard let property = step.new.data.types[key.type]!.property(change.name),
            property.kind == .single, property.target == nil
        else { return }
        for (value, version) in [(change.oldValue, step.old), (change.newValue, step.new)] {
            let expected = version.data.objects[key]?.values[change.name] ?? .null
            switch expected {
            case .list, .dictionary, .link: continue
            default: break
            }
            let found = World.read(value, false)
            if found.text != expected.text {
                fail("\(change.name) was reported as \(found.text) for \(expected.text)")
            }
        }
    }
}

extension WorldClass {
    fileprivate func observed(by followed: FollowedObject) -> NotificationToken {
        observe(keyPaths: followed.keyPaths) { [unowned followed] in followed.take($0) }
    }
}
