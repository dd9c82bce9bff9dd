/// A type of which a realm has results: a class of objects, or a projection of one.
public protocol RealmFetchable: RealmCollectionValue {}

extension ObjectBase: RealmFetchable {}

extension RealmFetchable where Self: ObjectBase {
    /// The class itself.
    public static var _objectType: ObjectBase.Type { self }

    /// The handle itself.
    public static func _make(_ object: ObjectBase) -> Self { unsafeDowncast(object, to: Self.self) }
}

/// The objects or values that a query finds: live, and evaluated when something is asked of them.
///
/// Results show what their realm shows, and change with it. `for in` goes over the elements as they
/// were at its start. Without sorting the order of a type's objects is that of their keys: of the
/// primary key if it is an Int, else of insertion; that of a collection's elements is its own.
public struct Results<Element: RealmCollectionValue> {
    let state: ResultsState

    init(_ core: RealmCore, _ table: ObjectTable, derived: [ObjectTable] = []) {
        state = ResultsState(core, table, nil, [], derived: derived)
    }

    init(_ state: ResultsState) { self.state = state }

    /// The realm.
    public var realm: Realm? { Realm(state.core) }

    /// Whether the results can't be used any more; never for those of an open realm.
    public var isInvalidated: Bool { false }

    @inline(__always)
    func make(_ row: FoundRow) -> Element {
        if row.part != 0 { return makeDerived(row) }
        let object = Element._objectType.init()
        object.bind(to: state.core, state.table, key: row.key, row: row.bytes)
        return Element._make(object)
    }

    @inline(never)
    private func makeDerived(_ row: FoundRow) -> Element {
        if row.isElement { return element(at: row) }
        let table = state.table(of: row)
        let object = newHandle(table)
        object.bind(to: state.core, table, key: row.key, row: row.bytes)
        return Element._make(object)
    }

    /// A handle of an object whose row may have moved since.
    func makeLater(_ row: FoundRow) -> Element {
        let table = state.table(of: row)
        let object = row.part == 0 ? Element._objectType.init() : newHandle(table)
        object.bind(to: state.core, table, key: row.key)
        if table.hasBareFields { object.bindBareFields() }
        return Element._make(object)
    }

    // MARK: Narrowing

    func adding(_ predicate: Predicate) -> Results { Results(state.narrowed(by: predicate)) }

    // MARK: Iterating

    /// Calls `body` with each object, lending one handle: it must not be kept.
    ///
    /// Saves making an object for each row. The property reads are as fast as can be.
    public func forEachLending(_ body: (Element) throws -> Void) throws {
        state.core.checkThread()
        if state.core.isWriting || !state.derived.isEmpty || state.source != nil
            || state.table.hasBareFields
        {
            for element in self { try body(element) }
            return
        }
        let rows = state.predicate == nil && state.descriptors.isEmpty ? nil : try state.all()
        let object = Element._objectType.init()
        let element = Element._make(object)
        object.bind(to: state.core, state.table, key: 0)
        func lend(_ key: UInt64, _ row: UnsafeRawBufferPointer) throws {
            object.key = key
            object.isStaged = false
            guard state.core.point(object, to: row, state.table) else {
                try state.core.throwDamage()
                return
            }
            try body(element)
        }
        if let rows {
            let held = state.core.snapshot
            for row in rows { try lend(row.key, row.bytes) }
            withExtendedLifetime(held) {}
        } else {
            try state.core.scan(state.table) { key, row in
                try lend(key, row)
                return true
            }
        }
    }

    /// Deletes every object.
    func deleteAll() {
        let core = state.core
        _ = core.requireTransaction()
        if core.failure != nil { return }
        do {
            if state.isEveryObject {
                for table in state.tables { try core.deleteAll(in: table) }
            } else {
                for row in try state.all() {
                    let table = state.table(of: row)
                    if try core.access.value(forKey: row.key, in: table.stored.rows) != nil {
                        try core.delete(key: row.key, in: table)
                    }
                }
            }
        } catch {
            core.fail(error)
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

    /// Whether there are no objects.
    public var isEmpty: Bool { first == nil }

    /// The first object, or nil; without sorting the search ends with it.
    public var first: Element? { state.read(nil) { try state.first().map { make($0) } } }

    /// The last object, or nil.
    public var last: Element? { state.read(nil) { try state.last().map { make($0) } } }

    /// The object at a position. The first use after a change finds them all.
    public subscript(position: Int) -> Element {
        let found: [FoundRow]? = state.read(nil) { try state.all() }
        // Damage was met, and is thrown by the next call that can.
        guard let rows = found else { return ._blank }
        precondition(
            rows.indices.contains(position),
            "Index \(position) is out of bounds (must be less than \(rows.count)).")
        return make(rows[position])
    }

    /// Takes what the iterator has, which may be less than `count` if there is damage.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        var elements = ContiguousArray<Element>()
        var iterator = makeIterator()
        elements.reserveCapacity(iterator.rowCount)
        while let element = iterator.next() { elements.append(element) }
        return elements
    }

    /// An iterator over the objects as they are now.
    public func makeIterator() -> ResultsIterator<Element> { ResultsIterator(self) }
}

/// Iterates over the objects that results had at the start.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private let results: Results<Element>
    private var rows: [FoundRow]
    /// The elements instead, where not each is the handle of a row.
    private var elements: IndexingIterator<[Element]>
    private var position = 0
    private let generation: UInt64
    var rowCount: Int { rows.count }

    init(_ results: Results<Element>) {
        self.results = results
        let areRows = results.state.areRows
        rows = areRows ? results.state.read([]) { try results.state.all() } : []
        elements = (areRows ? [] : results.elements()).makeIterator()
        generation = results.state.core.clock.pointee.generation
    }

    /// The next object, or nil at the end.
    public mutating func next() -> Element? {
        guard position < rows.count else { return elements.next() }
        let state = results.state
        if position & 63 == 0 { state.core.checkThread() }
        let row = rows[position]
        position += 1
        if state.core.clock.pointee.generation == generation { return results.make(row) }
        return results.makeLater(row)
    }
}

extension Results: CustomStringConvertible {
    /// The objects with their positions, at most a hundred of them.
    public var description: String {
        let lines = prefix(100).enumerated().map { "\t[\($0)] \($1)" }
        let rest = count > 100 ? ",\n\t... \(count - 100) objects skipped." : ""
        return "Results<\(Element.self)> (\n\(lines.joined(separator: ",\n"))\(rest)\n)"
    }
}
