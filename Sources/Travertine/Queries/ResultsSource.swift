/// What results look in when it is not every object of a type: the elements of a stored collection,
/// or the objects that link to one.
///
/// An element is an object, whose row is tested and sorted by, or a value, which a condition looks
/// at itself (`ScannedElement`). The evaluator is the same for both.
struct ResultsSource {
    private enum Place {
        case collection(CollectionStorage)
        case backlinks(Backlinks)
    }

    private let place: Place
    /// The element that a condition is on; nil where elements are objects.
    let element: ScannedElement?
    /// Whether the elements are dynamic objects, whatever their classes.
    let isDynamic: Bool

    /// The elements of a list, set or map.
    init<Element: RealmCollectionValue>(_ storage: CollectionStorage, of type: Element.Type) {
        place = .collection(storage)
        element =
            Element._objectType == ObjectBase.self ? ScannedElement(Element._elementType) : nil
        isDynamic = Element._objectType is DynamicObject.Type
        element?.place = storage
    }

    /// The objects that link to an object.
    init(_ backlinks: Backlinks, isDynamic: Bool) {
        place = .backlinks(backlinks)
        element = nil
        self.isDynamic = isDynamic
    }

    /// Whether elements can be nil although they are objects: in maps.
    var mayHoldNothing: Bool {
        if case .collection(let storage) = place { return storage.run.collection == .map }
        return false
    }

    /// Whether the collection is still there.
    private func isPresent() throws -> Bool {
        if case .collection(let storage) = place { return try storage.isPresent() }
        return true
    }

    /// Calls `body` with the positions and stored forms of values until it returns false; with none
    /// when the object that they belong to was deleted.
    func forEachValue(_ body: (Int, _RawValue) throws -> Bool) throws {
        guard case .collection(let storage) = place, try isPresent() else { return }
        var position = -1
        try storage.visit {
            position += 1
            return try body(position, $0)
        }
    }

    /// Calls `body` with the positions of objects, their tables and their keys until it returns
    /// false; `table` is that of links that do not name the type of their object.
    func forEachLink(
        from table: ObjectTable,
        _ body: (Int, (table: ObjectTable, key: UInt64)?) throws -> Bool
    ) throws {
        switch place {
        case .collection(let storage):
            try forEachValue { try body($0, storage.session.link($1, to: table)) }
        case .backlinks(let backlinks):
            for (position, link) in try backlinks.links().enumerated() {
                if try !body(position, link) { return }
            }
        }
    }

    /// The element at a position, as it is now.
    func element<Element: RealmCollectionValue>(
        _ type: Element.Type, at position: Int
    ) throws -> Element? {
        guard case .collection(let storage) = place else { return nil }
        return try storage.element(at: position) { Element.stored($0.value, at: storage) }
            .flatMap { $0 }
    }

    /// The element with a stored form.
    func element<Element: RealmCollectionValue>(
        _ type: Element.Type, from value: StoredDefault
    ) -> Element? {
        guard case .collection(let storage) = place else { return nil }
        return value.withRaw { Element.stored($0, at: storage) }
    }

    /// Every element by its position; nil where there is damage.
    func elements<Element: RealmCollectionValue>(_ type: Element.Type) throws -> [Element?] {
        guard case .collection(let storage) = place else { return [] }
        var found: [Element?] = []
        try forEachValue {
            found.append(Element.stored($1, at: storage))
            return true
        }
        return found
    }
}

/// The element of a collection of values that a condition is tested on just now.
final class ScannedElement {
    let type: _StoredType
    /// Its stored form, valid during the test.
    var raw = _RawValue.null
    /// The collection that it stands in.
    var place: CollectionStorage?

    init(_ type: _StoredType) { self.type = type }
}

/// The objects that link to an object by a property.
struct Backlinks {
    let session: RealmSession
    let table: ObjectTable
    let key: UInt64
    let originProperty: String
    /// The class of the objects that link.
    let origin: ObjectBase.Type

    /// The objects by table and key, each as often as it links: those of the class first, then
    /// those of derived classes.
    func links() throws -> [(table: ObjectTable, key: UInt64)] {
        if let known = session.linksFound, known.are(self) { return known.links }
        let links = try foundLinks()
        session.linksFound = LinksFound(self, links)
        return links
    }

    private func foundLinks() throws -> [(table: ObjectTable, key: UInt64)] {
        var found: [(table: ObjectTable, key: UInt64)] = []
        for source in session.tables(ofClassesFrom: origin) {
            guard let slot = source.slot(named: originProperty) else { continue }
            for (key, count) in try session.backlinks(to: key, in: table, source.properties[slot]) {
                session.noteVisit(.link)
                for _ in 0..<count { found.append((source, key)) }
            }
        }
        return found
    }
}

/// The links to one object by one property as they were found last, so that a loop over the positions
/// of `LinkingObjects` finds them once, also where it changes other properties of the objects. They are right
/// while no link and no object came or went, and the realm shows the same state.
struct LinksFound {
    private let table: UInt32
    private let key: UInt64
    private let originProperty: String
    private let origin: ObjectIdentifier
    private let linkChangeCount: UInt64
    private let membershipCount: UInt64
    let links: [(table: ObjectTable, key: UInt64)]

    init(_ backlinks: Backlinks, _ links: [(table: ObjectTable, key: UInt64)]) {
        table = backlinks.table.stored.number
        key = backlinks.key
        originProperty = backlinks.originProperty
        origin = ObjectIdentifier(backlinks.origin)
        linkChangeCount = backlinks.session.linkChangeCount
        membershipCount = backlinks.session.membershipCount
        self.links = links
    }

    /// Whether these are the links that others would find now.
    func are(_ other: Backlinks) -> Bool {
        linkChangeCount == other.session.linkChangeCount
            && membershipCount == other.session.membershipCount
            && key == other.key && table == other.table.stored.number
            && origin == ObjectIdentifier(other.origin) && originProperty == other.originProperty
    }
}
