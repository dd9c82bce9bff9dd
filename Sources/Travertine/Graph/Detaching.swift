import TravertineStore

/// Copies that belong to no realm.
extension RealmFetchable where Self: ObjectBase {
    /// An unmanaged copy of the object and of what it links to.
    ///
    /// Objects that are reached twice are copied once, so that cycles stay cycles. Links that are
    /// more than `depth` steps away are nil or left out, and so are objects without a class.
    public func detached(depth: Int = .max) -> Self {
        require(
            !(self is DynamicObject),
            "A dynamic object has no class to be copied into: read its properties.")
        var copies = DetachedCopies()
        guard let copy = copies.copy(of: self, depth) as? Self else {
            misuse("\(info.className) can't be copied")
        }
        copies.fill()
        return copy
    }
}

/// The copies made so far of one graph.
///
/// Objects wait in a queue until their values are copied: a chain of links may be of any length,
/// and what is reached on several ways counts by the shortest.
struct DetachedCopies {
    private struct Identity: Hashable {
        var store: ObjectIdentifier
        var type: UInt32
        var key: UInt64

        init(_ object: ObjectBase, in session: RealmSession) {
            store = ObjectIdentifier(session.shared)
            type = object.table.stored.number
            key = object.key
        }
    }

    private struct Made {
        let copy: ObjectBase
        let property: ClassInfo.Property
        let value: Any?
        /// The value with copies of the embedded objects that it is made of.
        let forms: Any?
    }

    /// The realm whose objects are not copied.
    private let kept: RealmSession?

    private var managed: [Identity: ObjectBase] = [:]
    private var unmanaged: [ObjectIdentifier: ObjectBase] = [:]
    private var pending: [(source: ObjectBase, copy: ObjectBase, depth: Int)] = []
    /// Properties of copies whose values are made of embedded objects, with copies of these in
    /// place of the values: what a value is made of must be there first.
    private var made: [Made] = []
    /// The unmanaged collections that contain the value now being copied.
    private var enclosing: Set<ObjectIdentifier> = []
    /// Whether there were objects to copy in dictionaries and arrays that are nested so deep that
    /// the stack has no room for it.
    private(set) var isTooDeep = false

    /// - Parameter kept: the realm whose objects are not copied, if there is one.
    init(keeping kept: RealmSession? = nil) { self.kept = kept }

    /// The copy of an object, which may be without its values yet.
    mutating func copy(of object: ObjectBase, _ depth: Int) -> ObjectBase {
        if let known = known(object) { return known }
        let copy = type(of: object).newInstance()
        if let session = object.session {
            managed[Identity(object, in: session)] = copy
        } else {
            unmanaged[ObjectIdentifier(object)] = copy
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
            let info = object.info
            for (slot, property) in info.properties.enumerated() {
                let value = property.valueType._any(object, property.offset)
                let copied = info.referenceSlots.contains(slot) ? self.value(value, depth) : value
                if info.embeddedFormSlots.contains(slot) {
                    made.append(
                        Made(copy: copy, property: property, value: value, forms: copied))
                    continue
                }
                let isSet = property.valueType._assign(any: copied, to: copy, at: property.offset)
                assert(isSet, "\(info.className).\(property.name) takes its own values")
            }
        }
        // What was reached last is deepest inside.
        while let entry = made.popLast() {
            let (copy, property) = (entry.copy, entry.property)
            let isMade = property.valueType._assign(
                any: entry.forms, to: copy, at: property.offset)
            if isMade { continue }
            // A type that refuses what is stored for its own value.
            let isSet = property.valueType._assign(any: entry.value, to: copy, at: property.offset)
            assert(isSet, "\(copy.info.className).\(property.name) takes its own values")
        }
    }

    private func known(_ object: ObjectBase) -> ObjectBase? {
        guard let session = object.session else { return unmanaged[ObjectIdentifier(object)] }
        return managed[Identity(object, in: session)]
    }

    /// A value with copies in place of the objects in it.
    private mutating func value(_ value: Any?, _ depth: Int) -> Any? {
        switch value {
        case let object as ObjectBase where kept != nil && object.session === kept: return object
        case is DynamicObject: return nil
        case let object as ObjectBase:
            if depth <= 0 { return known(object) }
            return copy(of: object, depth - 1)
        case let mixed as AnyRealmValue:
            guard let plain = mixed.plain else { return mixed }
            return self.value(plain, depth)
        case let collection as any UntypedCollection: return contents(collection, depth)
        case let own as any FailableCustomPersistable: return form(of: own, depth)
        default: return value
        }
    }

    /// A copy of the embedded object that a value is stored as, of which the copied value is made;
    /// the value itself if it shares nothing with others.
    private mutating func form(of own: any FailableCustomPersistable, _ depth: Int) -> Any {
        guard var form = own.form else { return own }
        if let kept, form.session === kept { return own }
        if form.session == nil, form.info.referenceSlots.isEmpty, isKnownUniquelyReferenced(&form) {
            return own
        }
        let copy = type(of: form).newInstance()
        pending.append((form, copy, max(depth - 1, 0)))
        return copy
    }

    /// The copied elements or entries; nil for a collection that is inside itself.
    private mutating func contents(_ collection: any UntypedCollection, _ depth: Int) -> Any? {
        let identifier = ObjectIdentifier(collection)
        guard enclosing.insert(identifier).inserted else { return nil }
        defer { enclosing.remove(identifier) }
        switch collection.contents {
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

/// Values that are not of the realm.
extension DetachedCopies {
    /// A value with copies in place of the objects that are not of the realm: unmanaged ones, and
    /// those of other realms; nil if there are none in it. The copies are without their values
    /// until `fill`.
    mutating func local(_ value: Any) -> Any? {
        if PendingFillings.areNeeded {
            isTooDeep = true
            return nil
        }
        switch value {
        case let values as [String: Any]:
            let changed = values.compactMapValues { local($0) }
            return changed.isEmpty ? nil : values.merging(changed) { $1 }
        case let values as [Any]:
            let changed = values.map { local($0) }
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return zip(values, changed).map { $1 ?? $0 }
        case is any UntypedCollection:
            return holdsOthers(value) ? self.value(value, .max) : nil
        case let collection as any RealmCollection:
            return anyElements(of: collection).flatMap { local($0 as Any) }
        default:
            return holdsOthers(value) ? self.value(value, .max) : nil
        }
    }

    /// Whether there is something to copy in dictionaries and arrays, nested in each other to any
    /// depth.
    func leadsToOthers(_ value: Any) -> Bool {
        var waiting = [value]
        while let next = waiting.popLast() {
            switch next {
            case let values as [String: Any]: waiting += values.values
            case let values as [Any]: waiting += values
            case is any UntypedCollection: if holdsOthers(next) { return true }
            case is any RealmCollection: return true
            default: if holdsOthers(next) { return true }
            }
        }
        return false
    }

    /// Whether a value is, or holds, an object or a collection that is not of the realm.
    private func holdsOthers(_ value: Any) -> Bool {
        var isFound = false
        func look(_ object: ObjectBase) {
            if !(object is DynamicObject), object.session !== kept { isFound = true }
        }
        switch value {
        case let object as ObjectBase: look(object)
        case .list(let list) as AnyRealmValue: return holdsOthers(list)
        case .dictionary(let map) as AnyRealmValue: return holdsOthers(map)
        case let mixed as AnyRealmValue: mixed._forEachObject(look)
        case let collection as any UntypedCollection:
            guard type(of: collection)._collectionType.mayLink else { return false }
            if let session = collection.session { return session !== kept }
            guard ClassInfo.Property.customType(in: type(of: collection)) != nil else {
                collection._forEachObject(look)
                return isFound
            }
            switch collection.contents {
            case .values(let values): return values.contains { holdsOthers($0) }
            case .entries(let entries): return entries.contains { holdsOthers($0.1) }
            }
        case let own as any FailableCustomPersistable: own.form.map(look)
        default: break
        }
        return isFound
    }
}

extension RealmSession {
    /// What an object of a class is to be made of, with unmanaged copies in place of the objects
    /// that are not of this realm, so that unmanaged ones stay unmanaged.
    func localized(_ value: Any, for info: ClassInfo) -> Any {
        let links = info.referenceSlots.filter { info.properties[$0].type.mayLink }
        if links.isEmpty { return value }
        var copies = DetachedCopies(keeping: self)
        guard var values = value as? [String: Any] else {
            guard copies.leadsToOthers(value), let local = copies.local(value) else { return value }
            fill(&copies)
            return local
        }
        for property in links.map({ info.properties[$0] }) {
            for name in Set([property.name, property.storedName]) {
                guard let value = values[name], copies.leadsToOthers(value) else { continue }
                if let local = copies.local(value) { values[name] = local }
            }
        }
        fill(&copies)
        return values
    }

    private func fill(_ copies: inout DetachedCopies) {
        copies.fill()
        guard copies.isTooDeep else { return }
        fail(
            Realm.Error(
                .invalidInput,
                "The objects in a dictionary or array can't be copied: it is nested too deep. Add "
                    + "the objects to the realm first.", fileURL: shared.fileURL))
    }
}
