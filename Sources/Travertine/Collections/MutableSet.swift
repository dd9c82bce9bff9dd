import CPlatform
import TravertineStore

/// A collection of different values or objects, as a property of an object.
///
/// ```swift
/// class City: Object {
///     @Persisted var postcodes: MutableSet<String>
/// }
/// ```
/// Unmanaged, it is a set by reference. Managed, it reads and changes the stored elements; changes
/// need a write transaction. Elements are stored in their order, so that looking one up costs the
/// logarithm of their number; the order of an unmanaged set means nothing.
public final class MutableSet<Element: RealmCollectionValue> {
    private(set) var elements: Set<Element> = [] {
        didSet { elementsByPosition = nil }
    }
    /// The elements of an unmanaged set by their positions, once they were read by position.
    private var elementsByPosition: [Element]?
    private(set) var anchor: CollectionAnchor?

    /// An empty unmanaged set.
    public init() {}

    deinit {
        if anchor != nil || travertine_releases_wait() == 0 { return }
        var held: [Any] = [elements, elementsByPosition as Any]
        (elements, elementsByPosition) = ([], nil)
        PendingReleases.release(&held)
    }

    /// The realm of a managed set.
    public var realm: Realm? { anchor.map { Realm($0.session) } }

    /// Whether the object that the set belongs to was deleted.
    public var isInvalidated: Bool { anchor?.isInvalidated ?? false }

    /// The elements of an unmanaged set by their positions, which stay until it is changed.
    var ordered: [Element] {
        if let elementsByPosition { return elementsByPosition }
        let ordered = Array(elements)
        elementsByPosition = ordered
        return ordered
    }

    func allElements() -> [Element] {
        guard let anchor else { return ordered }
        return anchor.read([]) { storage in
            var found: [Element] = []
            try storage.visit {
                if let element = Element.stored($0, at: storage) {
                    found.append(element)
                }
                return true
            }
            return found
        }
    }

    private static func encode(
        _ elements: some Collection<Element>, at storage: CollectionStorage
    ) -> ElementBatch {
        storage.run.sorted(List.encode(elements, at: storage))
    }

    func bind(_ anchor: CollectionAnchor) {
        self.anchor = anchor
        elements = []
    }

    // MARK: Members

    /// Whether an element is in the set; costs the logarithm of their number.
    public func contains(_ element: Element) -> Bool {
        guard let anchor else { return elements.contains(element) }
        return anchor.read(false) { storage in
            try element.withExistingElement(at: storage) {
                try storage.position(of: RunElement(value: $0)).isFound
            } ?? false
        }
    }

    /// Adds an element if it is not there.
    public func insert(_ element: Element) {
        guard let anchor else {
            elements.insert(element)
            return
        }
        anchor.change(()) { storage in
            try element.withElement(at: storage) { _ = try storage.put(RunElement(value: $0)) }
        }
    }

    /// Adds the elements that are not there.
    public func insert(objectsIn newElements: some Sequence<Element>) {
        for element in Array(newElements) { insert(element) }
    }

    /// Removes an element if it is there.
    public func remove(_ element: Element) {
        guard let anchor else {
            elements.remove(element)
            return
        }
        anchor.change(()) { storage in
            try element.withExistingElement(at: storage) {
                _ = try storage.remove(RunElement(value: $0))
            }
        }
    }

    /// Removes every element; objects that it links to stay.
    public func removeAll() {
        guard let anchor else {
            elements.removeAll()
            return
        }
        anchor.change(()) { try $0.replace(0..<$0.count(), with: ElementBatch()) }
    }

    // MARK: Other sets

    /// Whether every element is in the other set.
    public func isSubset(of other: MutableSet) -> Bool {
        allElements().allSatisfy { other.contains($0) }
    }

    /// Whether an element is in the other set.
    public func intersects(_ other: MutableSet) -> Bool {
        allElements().contains { other.contains($0) }
    }

    /// Adds the elements of the other set.
    public func formUnion(_ other: MutableSet) { insert(objectsIn: other.allElements()) }

    /// Keeps the elements that are in the other set as well.
    public func formIntersection(_ other: MutableSet) {
        for element in allElements() where !other.contains(element) { remove(element) }
    }

    /// Removes the elements of the other set.
    public func subtract(_ other: MutableSet) {
        for element in other.allElements() { remove(element) }
    }

    /// Replaces all elements by others.
    public func assign(_ other: MutableSet) {
        if other === self || anchor.map({ other.anchor?.isSame(as: $0) == true }) == true { return }
        replaceAll(with: other.allElements())
    }

    private func replaceAll(with newElements: [Element]) {
        guard let anchor else {
            elements = Set(newElements)
            return
        }
        anchor.change(()) { storage in
            let batch = Self.encode(newElements, at: storage)
            if let failure = anchor.session.failure { throw failure }
            try storage.replace(0..<storage.count(), with: batch)
        }
    }
}

extension MutableSet: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last element.
    public var endIndex: Int { count }

    /// The number of elements.
    public var count: Int {
        guard let anchor else { return elements.count }
        return anchor.read(0) { try $0.count() }
    }

    /// The element at a position, for iteration: positions change with every change.
    public subscript(position: Int) -> Element {
        guard let anchor else {
            let elements = ordered
            requireIndex(position, below: elements.count)
            return elements[position]
        }
        var found: Element?
        anchor.read(()) { storage in
            found = try storage.element(at: position) { Element.stored($0.value, at: storage) }
                .flatMap { $0 }
        }
        if let found { return found }
        if anchor.session.failure != nil { return Element._blank }
        let session = anchor.session.here
        let count: Int? = session.damage == nil ? anchor.read(nil) { try $0.count() } : nil
        if let count { requireIndex(position, below: count) }
        if session.damage == nil, !Element._mayBeUnknown {
            session.damage = CollectionTree.damage
        }
        return Element._blank
    }

    /// Takes the elements there are, which may be fewer than `count` if there is damage.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(allElements())
    }

    /// An iterator over the elements as they are now.
    public func makeIterator() -> IndexingIterator<[Element]> { allElements().makeIterator() }
}

extension MutableSet: _StoredCollection {
    /// A set of the element's type.
    public static var _collectionType: _StoredType {
        var type = Element._elementType
        type.collection = .set
        return type
    }

    /// Makes the set the stored one of an object's property.
    public func _bind(to storage: _CollectionStorage) {
        bind(CollectionAnchor(storage))
    }

    /// Nothing of a set is traced.
    public func _attach(_ tracer: AnyObject) {}

    /// Stores the elements of an unmanaged set with their backlinks.
    public func _store(in storage: _CollectionStorage) throws -> [UInt8]? {
        try storage.store(Self.encode(elements, at: storage))
    }

    /// Replaces the elements.
    public func _replaceAll(with other: MutableSet) { assign(other) }

    /// Replaces the elements by those of any collection.
    public func _replaceAll(withAny value: Any) -> Bool {
        if isSameCollection(as: value) { return true }
        guard let values = anyElements(of: value) else { return false }
        let made = values.compactMap { Element._makeElement(from: $0) }
        guard made.count == values.count else { return false }
        replaceAll(with: made)
        return true
    }

    /// Hands the objects in an unmanaged set to `body`.
    public func _forEachObject(_ body: (ObjectBase) -> Void) {
        for element in elements {
            element._forEachObject(body)
        }
    }
}

extension MutableSet: UntypedCollection {
    /// What the set holds.
    var contents: CollectionContents { .values(allElements()) }
}

extension MutableSet: CustomStringConvertible, ExpressibleByArrayLiteral {
    /// An unmanaged set of these elements.
    public convenience init(arrayLiteral elements: Element...) {
        self.init()
        self.elements = Set(elements)
    }

    /// The elements with their positions, the first 100 of them.
    public var description: String { description(depth: 0) }
}

extension MutableSet: Equatable {
    /// Whether both are the same set; if one is unmanaged, whether they have equal elements.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        if left === right { return true }
        switch (left.anchor, right.anchor) {
        case (nil, nil): return left.elements == right.elements
        case (let anchor?, let other?): return anchor.isSame(as: other)
        case (let anchor?, nil): return !anchor.isInvalidated && left.holdsExactly(right.elements)
        case (nil, let anchor?): return !anchor.isInvalidated && right.holdsExactly(left.elements)
        }
    }

    private func holdsExactly(_ others: Set<Element>) -> Bool {
        count == others.count && others.allSatisfy { contains($0) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the elements as an array; managed objects with all that they link to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: allElements())
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Decodes an unmanaged set from an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        elements = Set(try [Element](from: decoder))
    }
}
