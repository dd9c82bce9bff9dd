import TravertineStore

/// Copies that belong to no realm.
extension RealmFetchable where Self: ObjectBase {
    /// An unmanaged copy of the object and of what it links to.
    ///
    /// Objects that are met twice are copied once, so that cycles stay cycles. Links that are more
    /// than `depth` steps away are nil or left out, and so are objects without a class.
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

        init(_ object: ObjectBase, in core: RealmCore) {
            store = ObjectIdentifier(core.shared)
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
    private let kept: RealmCore?

    private var managed: [Identity: ObjectBase] = [:]
    private var unmanaged: [ObjectIdentifier: ObjectBase] = [:]
    private var pending: [(source: ObjectBase, copy: ObjectBase, depth: Int)] = []
    /// Whether unmanaged objects lead to ones of other realms, as far as that was looked at; they are
    /// held so that none of their identifiers becomes another object's.
    private var looked: [ObjectIdentifier: (object: ObjectBase, leads: Bool)] = [:]
    /// Properties of copies whose values are made of embedded objects, with copies of these in place of
    /// the values: what a value is made of has to be there first.
    private var made: [Made] = []
    /// The unmanaged collections that the value now copied stands in.
    private var enclosing: Set<ObjectIdentifier> = []

    /// - Parameter kept: the realm whose objects are not copied, if there is one.
    init(keeping kept: RealmCore? = nil) { self.kept = kept }

    /// The copy of an object, which may be without its values yet.
    mutating func copy(of object: ObjectBase, _ depth: Int) -> ObjectBase {
        if let known = known(object) { return known }
        let copy = type(of: object).init()
        if let core = object.core {
            managed[Identity(object, in: core)] = copy
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
                if info.madeLinkSlots.contains(slot) {
                    made.append(
                        Made(copy: copy, property: property, value: value, forms: copied))
                    continue
                }
                let isSet = property.valueType._assign(any: copied, to: copy, at: property.offset)
                assert(isSet, "\(info.className).\(property.name) takes its own values")
            }
        }
        // What was met last is deepest inside.
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
        guard let core = object.core else { return unmanaged[ObjectIdentifier(object)] }
        return managed[Identity(object, in: core)]
    }

    /// A value with copies in place of the objects in it.
    private mutating func value(_ value: Any?, _ depth: Int) -> Any? {
        switch value {
        case let object as ObjectBase where kept != nil && object.core === kept: return object
        case is DynamicObject: return nil
        case let object as ObjectBase:
            if depth <= 0 { return known(object) }
            return copy(of: object, depth - 1)
        case let mixed as AnyRealmValue:
            guard let plain = mixed.plain else { return mixed }
            return self.value(plain, depth)
        case let collection as any _StoredCollection: return contents(collection, depth)
        case let own as any FailableCustomPersistable: return form(of: own, depth)
        default: return value
        }
    }

    /// A copy of the embedded object that a value is stored as, of which the copied value is made; the
    /// value itself if it shares nothing with others.
    private mutating func form(of own: any FailableCustomPersistable, _ depth: Int) -> Any {
        guard var form = own.form else { return own }
        if let kept, form.core === kept { return own }
        if form.core == nil, form.info.referenceSlots.isEmpty, isKnownUniquelyReferenced(&form) {
            return own
        }
        let copy = type(of: form).init()
        pending.append((form, copy, max(depth - 1, 0)))
        return copy
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

/// Values that come from other realms.
extension DetachedCopies {
    /// A value with copies in place of the objects of other realms, and of those that lead to such;
    /// nil if there are none in it. The copies are without their values until `fill`.
    mutating func local(_ value: Any) -> Any? {
        switch value {
        case let values as [String: Any]:
            let changed = values.compactMapValues { local($0) }
            return changed.isEmpty ? nil : values.merging(changed) { $1 }
        case let values as [Any]:
            let changed = values.map { local($0) }
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return zip(values, changed).map { $1 ?? $0 }
        default:
            return leadsElsewhere(value) ? self.value(value, .max) : nil
        }
    }

    /// Whether objects of other realms are among those that a value leads to.
    ///
    /// Every object is looked at once, however many values lead there and wherever it leads.
    private mutating func leadsElsewhere(_ value: Any) -> Bool {
        var first: [ObjectBase] = []
        guard note(value, &first) else { return true }
        look(behind: first)
        return first.contains { leads($0) == true }
    }

    /// Whether an object is one of another realm, or leads to one; nil if it was not looked at.
    private func leads(_ object: ObjectBase) -> Bool? {
        if object is DynamicObject || object.core === kept { return false }
        return object.core != nil ? true : looked[ObjectIdentifier(object)]?.leads
    }

    /// Finds out of all unmanaged objects that some lead to whether they lead elsewhere: goes along
    /// the links first, then back from where that is known.
    private mutating func look(behind first: [ObjectBase]) {
        var pending = first
        var leading: [ObjectIdentifier] = []
        var sources: [ObjectIdentifier: [ObjectIdentifier]] = [:]
        while let object = pending.popLast() {
            guard leads(object) == nil else { continue }
            let identifier = ObjectIdentifier(object)
            looked[identifier] = (object, false)
            var targets: [ObjectBase] = []
            var isLeading = false
            for slot in object.info.referenceSlots {
                let property = object.info.properties[slot]
                let value = property.valueType._any(object, property.offset)
                if let value, !note(value, &targets) { isLeading = true }
            }
            for target in targets {
                switch leads(target) {
                case true?: isLeading = true
                case false? where target.core != nil || target is DynamicObject: break
                default:
                    sources[ObjectIdentifier(target), default: []].append(identifier)
                    pending.append(target)
                }
            }
            if isLeading { leading.append(identifier) }
        }
        while let identifier = leading.popLast() {
            guard looked[identifier]?.leads == false else { continue }
            looked[identifier]?.leads = true
            leading += sources[identifier] ?? []
        }
    }

    /// Notes the objects in a value; false for a collection that another realm has.
    private func note(_ value: Any, _ found: inout [ObjectBase]) -> Bool {
        switch value {
        case let object as ObjectBase: found.append(object)
        case let mixed as AnyRealmValue:
            switch mixed {
            case .list(let list): return note(list, &found)
            case .dictionary(let map): return note(map, &found)
            default: mixed._forEachObject { found.append($0) }
            }
        case let collection as any _StoredCollection:
            guard type(of: collection)._collectionType.mayLink else { return true }
            if let core = collection._core { return core === kept }
            guard ClassInfo.Property.ownType(in: type(of: collection)) != nil else {
                collection._forEachObject { found.append($0) }
                return true
            }
            switch collection._contents {
            case .values(let values): for value in values { _ = note(value, &found) }
            case .entries(let entries): for entry in entries { _ = note(entry.1, &found) }
            }
        case let own as any FailableCustomPersistable: own.form.map { found.append($0) }
        default: break
        }
        return true
    }
}

extension RealmCore {
    /// What an object of a class is to be made of, with unmanaged copies in place of the objects of
    /// other realms.
    func localized(_ value: Any, for info: ClassInfo) -> Any {
        let links = info.referenceSlots.filter { info.properties[$0].type.mayLink }
        if links.isEmpty { return value }
        var copies = DetachedCopies(keeping: self)
        guard var values = value as? [String: Any] else {
            guard let local = copies.local(value) else { return value }
            copies.fill()
            return local
        }
        for property in links.map({ info.properties[$0] }) {
            for name in Set([property.name, property.storedName]) {
                if let local = values[name].flatMap({ copies.local($0) }) { values[name] = local }
            }
        }
        copies.fill()
        return values
    }
}
