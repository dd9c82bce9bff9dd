import CPlatform
import TravertineStore

/// An ordered collection of values or objects, as a property of an object.
///
/// ```swift
/// class City: Object {
///     @Persisted var alternateNames: List<String>
/// }
/// ```
/// Unmanaged, it is an array by reference. Managed, it reads and changes the stored elements;
/// changes need a write transaction. Small lists are in the object's row; large ones are in
/// chunks, so that appending to a list of a million costs a chunk, and index access grows with the
/// logarithm.
public final class List<Element: RealmCollectionValue> {
    private(set) var elements: [Element] = []
    private(set) var anchor: CollectionAnchor?
    private(set) var tracer: KeyPathTracer?

    /// An empty unmanaged list.
    public init() {}

    deinit {
        if anchor != nil || travertine_releases_wait() == 0 { return }
        var held: [Any] = [elements]
        elements = []
        PendingReleases.release(&held)
    }

    /// The realm of a managed list.
    public var realm: Realm? { session.map { Realm($0) } }

    /// Whether the object that the list belongs to was deleted.
    public var isInvalidated: Bool { anchor?.isInvalidated ?? false }

    // MARK: Managed access

    var session: RealmSession? { anchor?.session }
    var storage: CollectionStorage? { anchor?.storage }

    func bind(_ anchor: CollectionAnchor) {
        self.anchor = anchor
        elements = []
    }

    func attach(_ tracer: KeyPathTracer) { self.tracer = tracer }

    /// Runs a read; the realm's next throwing call throws damage (O13).
    func read<Result>(_ fallback: Result, _ body: () throws -> Result) -> Result {
        do {
            return try body()
        } catch {
            session?.here.damage = error
            return fallback
        }
    }

    func element(from raw: _RawValue) -> Element? {
        storage.flatMap { Element.stored(raw, at: $0) }
    }

    func allElements() -> [Element] {
        guard let storage else { return elements }
        return read([]) {
            var found: [Element] = []
            try storage.visit {
                if let element = element(from: $0) { found.append(element) }
                return true
            }
            return found
        }
    }

    static func encode(
        _ elements: some Collection<Element>, at storage: CollectionStorage
    ) -> ElementBatch {
        if Element._hasEmbeddedForm {
            var claimed = ClaimedEmbeddedObjects()
            let links = elements.map { claimed.claim($0._makeEmbeddedForm()) }
            return List<ObjectBase?>.encode(links, at: storage)
        }
        let run = storage.run
        let variation = storage.session.counts.variationCount
        var batch = ElementBatch()
        for element in elements {
            element._withElement(at: storage) {
                if storage.session.counts.variationCount != variation { return }
                run.append($0, to: &batch.bytes)
                batch.count += 1
            }
        }
        // An object of a class that the transaction uses first made the links varying: all objects
        // are stored, and their links are encoded again.
        if storage.session.counts.variationCount != variation {
            return encode(elements, at: storage)
        }
        return batch
    }

    /// The stored form of one element, without a collection around it: in code that is compiled for
    /// any type of elements, that would cost several times as much.
    private static func encode(_ element: Element, at storage: CollectionStorage) -> ElementBatch {
        let run = storage.run
        let variation = storage.session.counts.variationCount
        var batch = ElementBatch()
        element._withElement(at: storage) {
            if storage.session.counts.variationCount != variation { return }
            run.append($0, to: &batch.bytes)
            batch.count = 1
        }
        return storage.session.counts.variationCount == variation
            ? batch : encode(element, at: storage)
    }

    // MARK: Changing

    /// Replaces the elements of a range.
    public func replaceSubrange(
        _ range: Range<Int>, with newElements: some Collection<Element>
    ) {
        // What failed before may be why a position is not there.
        if session?.failure != nil { return }
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Range \(range) is out of bounds: the list has \(count) elements.")
        guard let storage, let session else {
            elements.replaceSubrange(range, with: newElements)
            return
        }
        guard session.mayChange() else { return }
        let batch = Self.encode(newElements, at: storage)
        if session.failure != nil { return }
        do {
            try storage.replace(range, with: batch)
            try session.deleteOrphans()
        } catch {
            session.fail(error)
        }
    }

    /// Replaces the elements of a range of any form.
    public func replaceSubrange(
        _ range: some RangeExpression<Int>, with newElements: some Collection<Element>
    ) {
        replaceSubrange(range.relative(to: self), with: newElements)
    }

    /// Adds an element at the end.
    public func append(_ element: Element) {
        guard let anchor else { return elements.append(element) }
        if Element._hasEmbeddedForm {
            let end = count
            return replaceSubrange(end..<end, with: CollectionOfOne(element))
        }
        anchor.append { Self.encode(element, at: $0) }
    }

    /// Adds elements at the end.
    public func append(objectsIn newElements: some Sequence<Element>) {
        let end = count
        replaceSubrange(end..<end, with: Array(newElements))
    }

    /// Inserts an element before a position.
    public func insert(_ element: Element, at position: Int) {
        replaceSubrange(position..<position, with: CollectionOfOne(element))
    }

    /// Inserts elements before a position.
    public func insert(contentsOf newElements: some Collection<Element>, at position: Int) {
        replaceSubrange(position..<position, with: newElements)
    }

    /// Removes the element at a position.
    public func remove(at position: Int) {
        replaceSubrange(Self.range(of: position), with: EmptyCollection())
    }

    /// The range of one position, of any number.
    static func range(of position: Int) -> Range<Int> {
        let (end, overflows) = position.addingReportingOverflow(1)
        require(!overflows, "Index \(position) is out of bounds.")
        return position..<end
    }

    /// Removes the elements of a range.
    public func removeSubrange(_ range: Range<Int>) {
        replaceSubrange(range, with: EmptyCollection())
    }

    /// Removes the elements of a range of any form.
    public func removeSubrange(_ range: some RangeExpression<Int>) {
        removeSubrange(range.relative(to: self))
    }

    /// Removes the first elements.
    public func removeFirst(_ number: Int = 1) {
        checkNumber(number, "first")
        removeSubrange(0..<number)
    }

    /// Removes the last elements.
    public func removeLast(_ number: Int = 1) {
        let end = count
        if session?.failure != nil { return }
        checkNumber(number, "last")
        removeSubrange(end - number..<end)
    }

    private func checkNumber(_ number: Int, _ which: String) {
        if session?.failure != nil { return }
        let count = count
        require(
            0...count ~= number,
            "Can't remove the \(which) \(number) elements: the list has \(count).")
    }

    /// Removes every element; objects that it links to stay.
    public func removeAll() { removeSubrange(0..<count) }

    /// Replaces the element at a position.
    public func replace(index: Int, object: Element) { self[index] = object }

    /// Moves an element to another position.
    public func move(from source: Int, to target: Int) {
        if session?.failure != nil { return }
        require(
            0..<count ~= source && 0..<count ~= target,
            "Can't move from \(source) to \(target): the list has \(count) elements.")
        guard let anchor else {
            elements.insert(elements.remove(at: source), at: target)
            return
        }
        anchor.change(()) { storage in
            let element = try storage.batch(at: source)
            try storage.replace(source..<source + 1, with: ElementBatch(), isMove: true)
            try storage.replace(target..<target, with: element, isMove: true)
        }
    }

    /// Exchanges two elements.
    public func swapAt(_ first: Int, _ second: Int) {
        if session?.failure != nil { return }
        require(
            0..<count ~= first && 0..<count ~= second,
            "Can't swap \(first) and \(second): the list has \(count) elements.")
        guard let anchor else {
            elements.swapAt(first, second)
            return
        }
        anchor.change(()) { storage in
            let (left, right) = (try storage.batch(at: first), try storage.batch(at: second))
            try storage.replace(first..<first + 1, with: right, isMove: true)
            try storage.replace(second..<second + 1, with: left, isMove: true)
        }
    }

    /// Replaces all elements by those of another list.
    public func assign(_ other: List<Element>) {
        if other === self || anchor.map({ other.anchor?.isSame(as: $0) == true }) == true { return }
        replaceSubrange(0..<count, with: other.allElements())
    }
}

extension List: CustomStringConvertible, ExpressibleByArrayLiteral {
    /// An unmanaged list of these elements.
    public convenience init(arrayLiteral elements: Element...) {
        self.init()
        self.elements = elements
    }

    /// The elements with their positions, the first 100 of them.
    public var description: String { description(depth: 0) }
}

extension List: Equatable {
    /// Whether both are the same list; if one is unmanaged, whether they have equal elements.
    public static func == (left: List, right: List) -> Bool {
        if let anchor = left.anchor, let other = right.anchor { return anchor.isSame(as: other) }
        return left.isEqual(to: right) { $0.isSame(as: $1) }
    }

    /// Whether both have equal elements. A managed list that was deleted is equal to itself only.
    func isEqual(to other: List, by areEqual: (Element, Element) -> Bool) -> Bool {
        if self === other { return true }
        guard anchor?.isInvalidated != true, other.anchor?.isInvalidated != true,
            count == other.count
        else { return false }
        return allElements().elementsEqual(other.allElements(), by: areEqual)
    }
}

extension List: Encodable where Element: Encodable {
    /// Encodes the elements as an array; managed objects with all that they link to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: allElements())
    }
}

extension List: Decodable where Element: Decodable {
    /// Decodes an unmanaged list from an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        elements = try [Element](from: decoder)
    }
}
