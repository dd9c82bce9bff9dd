import TravertineStore

/// What all collections of a realm are.
public protocol RealmCollectionBase<Element>: RandomAccessCollection, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue, Index == Int {}

extension RealmCollectionBase {
    /// The type of the elements.
    public typealias ElementType = Element

    /// The position after another, which `...` asks for: the range is checked as a whole.
    public func index(after position: Int) -> Int { position + 1 }

    /// The elements of a range.
    public subscript(bounds: Range<Int>) -> Slice<Self> {
        requireRange(bounds, in: self)
        return Slice(base: self, bounds: bounds)
    }
}

/// Stops for a range that a collection has not: the check of the standard library has no text in
/// release builds.
func requireRange<Base: Collection>(_ bounds: Range<Base.Index>, in base: Base) {
    require(
        bounds.lowerBound >= base.startIndex && bounds.upperBound <= base.endIndex,
        "Range \(bounds) is out of bounds: the collection has \(base.count) elements.")
}

/// Stops for a position that a collection of so many elements has not.
func requireIndex(_ position: Int, below count: Int) {
    require(
        0..<count ~= position, "Index \(position) is out of bounds (must be less than \(count)).")
}

/// A collection of objects or values in a realm: a list, a set, linking objects, or results.
///
/// ```swift
/// func names(in dogs: some RealmCollection<Dog>) -> [String] {
///     dogs.where { $0.age > 3 }.sorted(byKeyPath: "name").map(\.name)
/// }
/// ```
/// `where`, `sorted` and `distinct` give ``Results``, which are live: they go over the elements
/// when something is read of them, in the order of the collection, and again after a change. Each
/// pass costs in proportion to the number of elements; no index is used. The collection must be
/// managed.
///
/// Conditions come first, whenever `where` is called; then `sorted` and `distinct` in the order of
/// the calls.
public protocol RealmCollection<Element>: RealmCollectionBase, _AggregatedCollection, Equatable
where _AggregatedElement == Element {
    /// The elements as results; stops for an unmanaged collection.
    var _results: Results<Element> { get }
    /// The position of an element, or nil: the first handle of the same object or equal value.
    func index(of object: Element) -> Int?
}

extension RealmCollection {
    /// The elements as results.
    public var _aggregatedResults: Results<Element> { _results }

    /// The elements.
    public var _aggregatedElements: [Element] { Array(self) }

    // MARK: Narrowing

    /// The elements that fulfil a condition, live and in their order.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        _results.adding(condition(Query<Element>()).predicate)
    }

    // MARK: Sorting

    /// The elements in the order of properties; equal ones stay in the order that they have.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        _results.sorted(by: descriptors)
    }

    /// The elements in the order of a property, by its name; values by the name "self".
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The elements in the order of a property.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> where Element: ObjectBase {
        sorted(by: [SortDescriptor(keyPath: keyPath as PartialKeyPath, ascending: ascending)])
    }

    /// The values in their order: nil first, then NaN, then numbers; strings by their bytes.
    public func sorted(ascending: Bool = true) -> Results<Element>
    where Element: _HasPersistedType, Element.PersistedType: SortableType {
        sorted(byKeyPath: DistinctRows.itself, ascending: ascending)
    }

    // MARK: Distinct

    /// Of elements with equal values of properties, by their names, the first one only.
    public func distinct(by keyPaths: some Sequence<String>) -> Results<Element> {
        _results.distinct(by: keyPaths)
    }

    /// Of elements with equal values of properties the first one only.
    public func distinct(
        by keyPaths: some Sequence<PartialKeyPath<Element>>
    ) -> Results<Element> where Element: ObjectBase {
        distinct(by: keyPaths.map { KeyPathTracer.requiredName(of: $0) })
    }

    /// Of equal values, or of handles of one object, the first one only.
    public func distinct() -> Results<Element> { distinct(by: [DistinctRows.itself]) }

    // MARK: Positions

    /// The elements at positions, each once and in the order of the collection, whatever the order
    /// of the positions: an `IndexSet` is such a sequence, and so is an array.
    public func objects(at positions: some Sequence<Int>) -> [Element] {
        Set(positions).sorted().map { self[$0] }
    }
}

// MARK: - Collections

extension List: RealmCollection {
    /// The elements as results.
    public var _results: Results<Element> { Results(of: anchor, "list") }

    /// The position of an element, or nil: the first handle of the same object or equal value.
    /// Costs in proportion to the number of elements.
    public func index(of element: Element) -> Int? {
        guard let anchor else { return elements.firstIndex { isSameElement($0, element) } }
        guard let object = element._object else {
            return anchor.position { (other: Element) in isSameElement(other, element) }
        }
        return anchor.position(of: object)
    }

    /// What `firstIndex(of:)` calls before it compares element by element: the position of a value.
    public func _customIndexOfEquatableElement(_ element: Element) -> Int?? {
        // Objects are looked for by `==`, and nothing is equal to what is not a number.
        if anchor == nil || element._object != nil || element != element { return nil }
        return .some(index(of: element))
    }
}

extension MutableSet: RealmCollection {
    /// The elements as results.
    public var _results: Results<Element> { Results(of: anchor, "set") }

    /// The position of an element, or nil; costs the logarithm of their number.
    public func index(of element: Element) -> Int? {
        guard let anchor else { return ordered.firstIndex { isSameElement($0, element) } }
        return anchor.read(nil) { storage in
            try element.withExistingElement(at: storage) { raw -> Int? in
                let position = try storage.position(of: RunElement(value: raw))
                return position.isFound ? position.index : nil
            } ?? nil
        }
    }
}

extension CollectionAnchor {
    /// The first position of an element for which a condition holds, or nil.
    fileprivate func position<Element: RealmCollectionValue>(
        where condition: (Element) -> Bool
    ) -> Int? {
        read(nil) { storage in
            var position = -1
            var isFound = false
            try storage.visit {
                position += 1
                isFound = Element.stored($0, at: storage).map(condition) ?? false
                return !isFound
            }
            return isFound ? position : nil
        }
    }

    /// The first position of a link to an object, or nil.
    fileprivate func position(of object: ObjectBase) -> Int? {
        read(nil) { storage in
            let session = storage.session
            guard session.isSame(as: object.session),
                let target = session.table(named: storage.property.target)
            else { return nil }
            let type = object.table.stored.number
            var position = -1
            var isFound = false
            try storage.visit {
                position += 1
                guard let link = session.link($0, to: target) else { return true }
                isFound = link.key == object.key && link.table.stored.number == type
                return !isFound
            }
            return isFound ? position : nil
        }
    }
}

extension LinkingObjects: RealmCollection {
    /// The objects as results.
    public var _results: Results<Element> {
        guard let backlinks else { stopForUnmanaged("object") }
        let session = backlinks.session
        session.checkThread()
        let source = ResultsSource(backlinks, isDynamic: Element.self is DynamicObject.Type)
        return Results(
            ResultsState(session, session.table(of: backlinks.origin), nil, [], source: source))
    }

    /// The position of an object, or nil. Costs in proportion to the number of links.
    public func index(of object: Element) -> Int? {
        guard let session = backlinks?.session, session.isSame(as: object.session) else {
            return nil
        }
        let type = object.table.stored.number
        return links.firstIndex { $0.key == object.key && $0.table.stored.number == type }
    }
}

extension LinkingObjects: Equatable {
    /// Whether both are those of one object and property.
    public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
        guard let first = left.backlinks, let second = right.backlinks else { return false }
        return first.session.isSame(as: second.session) && first.key == second.key
            && first.table.stored.number == second.table.stored.number
            && first.originProperty == second.originProperty && first.origin == second.origin
    }
}
