import TravertineStore

/// A type of which a realm has results: a class of objects, or a projection of one.
public protocol RealmFetchable: RealmCollectionValue {}

extension ObjectBase: RealmFetchable {}

extension RealmFetchable where Self: ObjectBase {
    /// The class itself.
    public static var _objectType: ObjectBase.Type { self }

    /// The handle itself.
    @inlinable
    public static func _make(_ object: ObjectBase) -> Self { unsafeDowncast(object, to: Self.self) }

    /// The handle itself.
    @inlinable
    public static func _makeIfPossible(_ object: ObjectBase) -> Self? { _make(object) }
}

/// The objects or values that a query finds: live, and evaluated when something is asked of them.
///
/// Results show what their realm shows, and change with it. `for in` iterates over the elements as
/// they were at its start. Without sorting the order of a type's objects is that of their keys: of
/// the primary key if it is an Int, else of insertion; that of a collection's elements is its own.
public struct Results<Element: RealmCollectionValue> {
    let base: ResultsState

    /// The query, of the calling thread if the results are frozen.
    @inline(__always)
    var state: ResultsState { base.here }

    init(_ session: RealmSession, _ table: TableState, derived: [TableState] = []) {
        base = ResultsState(session, table, nil, [], derived: derived)
    }

    init(_ state: ResultsState) { base = state }

    /// The realm.
    public var realm: Realm? { Realm(base.session) }

    /// Whether the realm was invalidated since the results were made: they can't be used any more.
    public var isInvalidated: Bool {
        base.session.here.checkThread()
        return base.isInvalidated
    }

    @inline(__always)
    func make(_ row: FoundRow) -> Element {
        if row.part != 0 { return makeDerived(row) }
        let state = state
        let object = state.handleType(Element._objectType).newInstance()
        object.bind(to: state.session, state.table, key: row.key, row: row.bytes)
        return Element._make(object)
    }

    @inline(never)
    private func makeDerived(_ row: FoundRow) -> Element {
        row.isElement ? element(at: row) : Element._make(derivedHandle(row))
    }

    private func derivedHandle(_ row: FoundRow) -> ObjectBase {
        let table = state.table(of: row)
        let object = newHandle(table)
        object.bind(to: state.session, table, key: row.key, row: row.bytes)
        return object
    }

    /// The element that a row is; nil for a stored object that makes none.
    func makeIfPossible(_ row: FoundRow) -> Element? {
        if row.part == 0 {
            let object = state.handleType(Element._objectType).newInstance()
            object.bind(to: state.session, state.table, key: row.key, row: row.bytes)
            return Element._makeIfPossible(object)
        }
        return row.isElement ? element(at: row) : Element._makeIfPossible(derivedHandle(row))
    }

    // MARK: Narrowing

    /// The objects that fulfil a condition too; stops for one that they don't go with.
    func adding(_ predicate: Predicate) -> Results {
        do throws(QueryProblems) {
            return try narrowed(by: predicate)
        } catch {
            misuse(error.message)
        }
    }

    func narrowed(by predicate: Predicate) throws(QueryProblems) -> Results {
        Results(try state.narrowed(by: predicate))
    }

    // MARK: Iterating

    /// Deletes every object.
    func deleteAll() {
        let session = state.session
        guard session.mayChange() else { return }
        state.takeTable()
        do {
            if state.isEveryObject {
                let outer = session.scope.emptiedTypes
                session.scope.emptiedTypes.formUnion(state.tables.map(\.stored.number))
                defer { session.scope.emptiedTypes = outer }
                try session.deleteAll(in: state.tables)
            } else {
                let rows = try state.all()
                for (part, table) in state.tables.enumerated() {
                    let keys = rows.filter { !$0.isElement && $0.part == part }.map(\.key)
                    if try session.deletedAll(keys, in: table) { continue }
                    try session.unlinkFromCollections(keys, of: table)
                }
                for row in rows {
                    let table = state.table(of: row)
                    if try session.access.value(forKey: row.key, in: table.stored.rows) != nil {
                        try session.delete(key: row.key, in: table)
                    }
                }
            }
        } catch {
            session.fail(error)
        }
    }
}

extension Results: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last object.
    public var endIndex: Int { count }

    /// The number of objects; without condition it costs the same for any number.
    public var count: Int { state.read(0) { try state.count() } }

    /// Whether there are no objects: ends with the first match.
    public var isEmpty: Bool { state.read(true) { try state.isEmpty() } }

    /// The first object, or nil; without sorting the search ends with it.
    public var first: Element? { state.read(nil) { try state.first().map { make($0) } } }

    /// The last object, or nil; without sorting the search begins at the end.
    public var last: Element? { state.read(nil) { try state.last().map { make($0) } } }

    /// The object at a position.
    ///
    /// With a condition or sorting the first use after a change finds all objects. Without, it
    /// takes time in proportion to the logarithm of their number, after the first use, which counts
    /// them. In a write transaction it walks over the objects from the nearest of every 256 whose
    /// place is known, and once that adds up to all of them finds all; it begins again after an
    /// object was added or deleted.
    public subscript(position: Int) -> Element {
        let state = state
        let found: (row: FoundRow, isCurrent: Bool)?? = state.read(nil) {
            .some(try state.row(at: position))
        }
        // Damage was found, and is thrown by the next call that can.
        guard let found else { return ._blank }
        guard let (row, isCurrent) = found else {
            let count = count
            if state.session.damage != nil { return ._blank }
            misuse("Index \(position) is out of bounds (must be less than \(count)).")
        }
        return element(of: row, at: position, isCurrent: isCurrent)
    }

    /// The element that a found row is; `isCurrent` if the row is where it was found.
    func element(of row: FoundRow, at position: Int, isCurrent: Bool) -> Element {
        if row.isElement, state.foundValues.indices.contains(position) {
            return state.source?.element(Element.self, from: state.foundValues[position]) ?? ._blank
        }
        return isCurrent || row.isElement ? make(row) : makeLater(row)
    }

    /// A handle of an object whose row is looked up when it is first used.
    @inline(never)
    private func makeLater(_ row: FoundRow) -> Element {
        let table = state.table(of: row)
        let object =
            row.part == 0 ? state.handleType(Element._objectType).newInstance() : newHandle(table)
        object.bind(to: state.session, table, key: row.key)
        if table.hasUnwrappedProperties { object.bindUnwrappedProperties() }
        return Element._make(object)
    }

    /// Takes what the iterator has, which may be less than `count` if there is damage.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        var elements = ContiguousArray<Element>()
        guard state.areRows else { return ContiguousArray(self.elements()) }
        let stream = ObjectCursor(
            state, state.handleType(Element._objectType), reusesHandles: false)
        elements.reserveCapacity(stream.underestimatedCount)
        while let object = stream.next() {
            if let element = Element._makeIfPossible(object) { elements.append(element) }
        }
        return elements
    }

    /// An iterator over the objects as they are now.
    public func makeIterator() -> ResultsIterator<Element> {
        state.areRows
            ? ResultsIterator(ObjectCursor(state, state.handleType(Element._objectType)), [])
            : ResultsIterator(nil, elements())
    }
}

extension Results: CustomStringConvertible {
    /// The objects with their positions, at most a hundred of them.
    public var description: String {
        let lines = prefix(100).enumerated().map { "\t[\($0)] \("\($1)".withLinesIndented)" }
        let rest = count > 100 ? ",\n\t... \(count - 100) objects skipped." : ""
        return "Results<\(Element.self)> (\n\(lines.joined(separator: ",\n"))\(rest)\n)"
    }
}
