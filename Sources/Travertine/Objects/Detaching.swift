/// Copies that belong to no realm.
extension RealmFetchable where Self: ObjectBase {
    /// An unmanaged copy of the object and of what it links to.
    ///
    /// Objects that are met twice are copied once, so that cycles stay cycles. Links that are more
    /// than `depth` steps away are nil or left out.
    public func detached(depth: Int = .max) -> Self {
        var copies = DetachedCopies()
        guard let copy = copies.copy(self, depth) as? Self else {
            preconditionFailure("\(info.className) can't be copied")
        }
        return copy
    }
}

/// The copies made so far of one graph.
private struct DetachedCopies {
    private struct Identity: Hashable {
        var type: UInt32
        var key: UInt64
    }

    private var managed: [Identity: ObjectBase] = [:]
    private var unmanaged: [ObjectIdentifier: ObjectBase] = [:]

    mutating func copy(_ object: ObjectBase, _ depth: Int) -> ObjectBase {
        if let known = known(object) { return known }
        precondition(
            !(object is DynamicObject),
            "A dynamic object has no class to be copied into: read its properties.")
        let copy = type(of: object).init()
        if object.core == nil {
            unmanaged[ObjectIdentifier(object)] = copy
        } else {
            managed[Identity(type: object.table.stored.number, key: object.key)] = copy
        }
        for property in object.info.properties {
            let value = property.valueType._any(object, property.offset)
            let copied = self.value(value, depth)
            let isSet = property.valueType._assign(any: copied, to: copy, at: property.offset)
            assert(isSet, "\(object.info.className).\(property.name) takes its own values")
        }
        return copy
    }

    private func known(_ object: ObjectBase) -> ObjectBase? {
        if object.core == nil { return unmanaged[ObjectIdentifier(object)] }
        return managed[Identity(type: object.table.stored.number, key: object.key)]
    }

    private mutating func value(_ value: Any?, _ depth: Int) -> Any? {
        switch value {
        case let object as ObjectBase:
            if depth <= 0 { return known(object) }
            return copy(object, depth - 1)
        case let mixed as AnyRealmValue: return self.value(mixed.plain, depth)
        case let collection as any _StoredCollection:
            switch collection._contents {
            case .values(let values):
                return values.compactMap { element -> Any? in
                    isNone(element) ? element : self.value(element, depth)
                }
            case .entries(let entries):
                var copied: [String: Any] = [:]
                for (key, value) in entries {
                    copied[key] =
                        isNone(value) ? value : self.value(value, depth) ?? Any?.none as Any
                }
                return copied
            }
        default: return value
        }
    }
}
