/// Copies that belong to no realm.
extension RealmFetchable where Self: ObjectBase {
    /// An unmanaged copy of the object and of what it links to.
    ///
    /// Objects that are met twice are copied once, so that cycles stay cycles. Links that are more
    /// than `depth` steps away are nil or left out, and so are objects without a class.
    public func detached(depth: Int = .max) -> Self {
        precondition(
            !(self is DynamicObject),
            "A dynamic object has no class to be copied into: read its properties.")
        var copies = DetachedCopies()
        guard let copy = copies.copy(of: self, depth) as? Self else {
            preconditionFailure("\(info.className) can't be copied")
        }
        copies.fill()
        return copy
    }
}

/// The copies made so far of one graph.
///
/// Objects wait in a queue until their values are copied: a chain of links may be of any length,
/// and what is reached on several ways counts by the shortest.
private struct DetachedCopies {
    private struct Identity: Hashable {
        var type: UInt32
        var key: UInt64
    }

    private var managed: [Identity: ObjectBase] = [:]
    private var unmanaged: [ObjectIdentifier: ObjectBase] = [:]
    private var pending: [(source: ObjectBase, copy: ObjectBase, depth: Int)] = []
    /// The unmanaged collections that the value now copied stands in.
    private var enclosing: Set<ObjectIdentifier> = []

    /// The copy of an object, which may be without its values yet.
    mutating func copy(of object: ObjectBase, _ depth: Int) -> ObjectBase {
        if let known = known(object) { return known }
        let copy = type(of: object).init()
        if object.core == nil {
            unmanaged[ObjectIdentifier(object)] = copy
        } else {
            managed[Identity(type: object.table.stored.number, key: object.key)] = copy
        }
        pending.append((object, copy, depth))
        return copy
    }

    /// Copies the values of every object that waits for it.
    mutating func fill() {
        var next = 0
        while next < pending.count {
            let (object, copy, depth) = pending[next]
            next += 1
            for property in object.info.properties {
                let value = property.valueType._any(object, property.offset)
                let copied = self.value(value, depth)
                let isSet = property.valueType._assign(any: copied, to: copy, at: property.offset)
                assert(isSet, "\(object.info.className).\(property.name) takes its own values")
            }
        }
    }

    private func known(_ object: ObjectBase) -> ObjectBase? {
        if object.core == nil { return unmanaged[ObjectIdentifier(object)] }
        return managed[Identity(type: object.table.stored.number, key: object.key)]
    }

    private mutating func value(_ value: Any?, _ depth: Int) -> Any? {
        switch value {
        case is DynamicObject: return nil
        case let object as ObjectBase:
            if depth <= 0 { return known(object) }
            return copy(of: object, depth - 1)
        case let mixed as AnyRealmValue:
            guard let plain = mixed.plain else { return mixed }
            return self.value(plain, depth)
        case let collection as any _StoredCollection: return contents(collection, depth)
        default: return value
        }
    }

    /// The copied elements or entries; nil for a collection that is inside itself.
    private mutating func contents(_ collection: any _StoredCollection, _ depth: Int) -> Any? {
        let identifier = ObjectIdentifier(collection)
        guard enclosing.insert(identifier).inserted else { return nil }
        defer { enclosing.remove(identifier) }
        switch collection._contents {
        case .values(let values):
            return values.compactMap { element -> Any? in
                isNone(element) ? element : self.value(element, depth)
            }
        case .entries(let entries):
            var copied: [String: Any] = [:]
            for (key, value) in entries {
                copied[key] = isNone(value) ? value : self.value(value, depth) ?? Any?.none as Any
            }
            return copied
        }
    }
}
