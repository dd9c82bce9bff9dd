/// What results look in when it is not every object of a type: the elements of a stored collection,
/// or the objects that link to one.
///
/// An element is an object, whose row is tested and sorted by, or a value, which a condition looks
/// at itself (`ScannedElement`). The evaluator is the same for both.
struct ResultsSource {
    enum Origin {
        case collection(CollectionStorage)
        case backlinks(Backlinks)
    }

    let origin: Origin
    /// The element that a condition is on; nil where elements are objects.
    let element: ScannedElement?
    /// Whether the elements are dynamic objects, whatever their classes.
    let isDynamic: Bool

    /// The elements of a list, set or map.
    init<Element: RealmCollectionValue>(_ storage: CollectionStorage, of type: Element.Type) {
        origin = .collection(storage)
        element =
            Element._objectType == ObjectBase.self ? ScannedElement(Element._elementType) : nil
        isDynamic = Element._objectType is DynamicObject.Type
        element?.storage = storage
    }

    /// The objects that link to an object.
    init(_ backlinks: Backlinks, isDynamic: Bool) {
        origin = .backlinks(backlinks)
        element = nil
        self.isDynamic = isDynamic
    }

    /// The same in another session of the store; nil if it is not there.
    func shown(in session: RealmSession) -> ResultsSource? {
        switch origin {
        case .collection(let storage):
            guard let storage = CollectionAnchor(storage).shown(in: session)?.storage else {
                return nil
            }
            var element: ScannedElement?
            if let type = self.element?.type {
                element = ScannedElement(type)
                element?.storage = storage
            }
            return ResultsSource(
                origin: .collection(storage), element: element, isDynamic: isDynamic)
        case .backlinks(let backlinks):
            guard let table = session.table(matching: backlinks.table), !table.isGone else {
                return nil
            }
            return ResultsSource(
                Backlinks(
                    session: session, table: table, key: backlinks.key,
                    originProperty: backlinks.originProperty, origin: backlinks.origin),
                isDynamic: isDynamic)
        }
    }

    private init(origin: Origin, element: ScannedElement?, isDynamic: Bool) {
        self.origin = origin
        self.element = element
        self.isDynamic = isDynamic
    }

    /// Whether elements can be nil although they are objects: in maps.
    var mayHoldNothing: Bool {
        if case .collection(let storage) = origin { return storage.run.collection == .map }
        return false
    }

    /// Whether the collection is still there.
    private func isPresent() throws -> Bool {
        if case .collection(let storage) = origin { return try storage.isPresent() }
        return true
    }

    /// Calls `body` with the positions and stored forms of values until it returns false; with none
    /// when the object that they belong to was deleted.
    func forEachValue(_ body: (Int, _RawValue) throws -> Bool) throws {
        guard case .collection(let storage) = origin, try isPresent() else { return }
        var position = -1
        try storage.visit {
            position += 1
            return try body(position, $0)
        }
    }

    /// Calls `body` with the positions of objects, their tables and their keys until it returns
    /// false; `table` is that of links that do not name the type of their object.
    func forEachLink(
        from table: TableState,
        _ body: (Int, (table: TableState, key: UInt64)?) throws -> Bool
    ) throws {
        switch origin {
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
        guard case .collection(let storage) = origin else { return nil }
        return try storage.element(at: position) { Element.stored($0.value, at: storage) }
            .flatMap { $0 }
    }

    /// The element with a stored form.
    func element<Element: RealmCollectionValue>(
        _ type: Element.Type, from value: RawConstant
    ) -> Element? {
        guard case .collection(let storage) = origin else { return nil }
        return value.withRaw { Element.stored($0, at: storage) }
    }

    /// Every element by its position; nil where there is damage.
    func elements<Element: RealmCollectionValue>(_ type: Element.Type) throws -> [Element?] {
        guard case .collection(let storage) = origin else { return [] }
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
    /// The collection that it is in.
    var storage: CollectionStorage?

    init(_ type: _StoredType) { self.type = type }
}
