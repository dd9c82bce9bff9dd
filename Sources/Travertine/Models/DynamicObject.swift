import TravertineStore

/// An object whose properties are known by name only: for types without a class, and for code that
/// does not know the class.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     print(dog["name"] ?? "nameless", dog.age ?? 0)
/// }
/// ```
/// Links lead to dynamic objects, collections of objects hold them. One is made by
/// `Realm.dynamicCreate` and always managed.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// Whether it is in place of an object that a failed transaction did not make: it has no
    /// values, and setting them does nothing.
    @exclusivity(unchecked) final var isVoid = false

    /// An object in place of one that a failed transaction did not make.
    static func void() -> DynamicObject {
        let object = DynamicObject()
        object.isVoid = true
        return object
    }

    /// A property's value by its public or stored name; nil for null. Linking objects that the
    /// class declares are `LinkingObjects<DynamicObject>`.
    ///
    /// Setting takes the property's type or one that converts to it: integers must fit, also the
    /// width that a class of the type declares; floating-point numbers are rounded to the
    /// property's precision.
    public override subscript(name: String) -> Any? {
        get {
            guard let session else { return nil }
            if let elsewhere { return elsewhere[name] }
            if let inverse = table.classInfo?.inverses.first(where: { $0.name == name }),
                let origin = inverse.valueType._storedType.targetClass
            {
                return LinkingObjects(
                    to: self, from: origin, property: inverse.originProperty)
            }
            return session.value(of: self, slot: slot(name))
        }
        set {
            guard let session else {
                if isVoid { return }
                misuse(
                    "A dynamic object is made by `realm.dynamicCreate`, not by its initialiser.")
            }
            session.set(self, slot: slot(name), toAny: newValue)
        }
    }

    /// A property's value by its name.
    public subscript(dynamicMember name: String) -> Any? {
        get { self[name] }
        set { self[name] = newValue }
    }

    fileprivate func collection<Wanted>(_ name: String, _ kind: String) -> Wanted {
        guard let found = self[name] as? Wanted else {
            misuse(
                "Property '\(name)' of '\(table.className)' is not a \(kind) of objects.")
        }
        return found
    }

    private func slot(_ name: String) -> Int {
        if let slot = table.slot(named: name) { return slot }
        if let session, session.isOfMigration { return session.slotInMigration(name, table) }
        NearNames.stopForProperty(name, of: table.className, table.properties.map(\.name))
    }

    override func describe(depth: Int) -> String {
        guard session != nil else { return "DynamicObject (unmanaged)" }
        return Self.text(
            table.className,
            table.properties.filter { !$0.isHidden }.map { ($0.name, self[$0.name]) },
            depth: depth)
    }
}

/// Collections of objects by name, whatever the class of the object.
extension Object {
    /// A list of objects by the property's name; empty for an unmanaged object.
    public func dynamicList(_ name: String) -> List<DynamicObject> {
        withoutClass?.collection(name, "list") ?? List()
    }

    /// A set of objects by the property's name; empty for an unmanaged object.
    public func dynamicMutableSet(_ name: String) -> MutableSet<DynamicObject> {
        withoutClass?.collection(name, "set") ?? MutableSet()
    }

    /// A map of objects by the property's name; empty for an unmanaged object.
    public func dynamicMap(_ name: String) -> Map<String, DynamicObject?> {
        withoutClass?.collection(name, "map") ?? Map()
    }

    /// The managed object without its class.
    private var withoutClass: DynamicObject? {
        if let dynamic = self as? DynamicObject { return dynamic.isVoid ? nil : dynamic }
        if let elsewhere { return elsewhere.withoutClass }
        guard let session else { return nil }
        session.checkThread()
        session.checkIsHere(self)
        return session.dynamicObject(key, in: table)
    }
}
