import TravertineStore

/// A list as a collection of Swift: elements by position.
extension List: RandomAccessCollection, MutableCollection {
    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last element.
    public var endIndex: Int { count }

    /// The number of elements.
    public var count: Int {
        if tracer != nil { return 1 }
        guard let storage else { return elements.count }
        return read(0) { try storage.count() }
    }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        get {
            if let tracer, let element = Element._traced(by: tracer) { return element }
            guard let storage else {
                requireIndex(position, below: elements.count)
                return elements[position]
            }
            var found: Element?
            let count: Int? = read(nil) {
                found = try storage.element(at: position) { Element.stored($0.value, at: storage) }
                    .flatMap { $0 }
                return found == nil ? try storage.count() : nil
            }
            if let found { return found }
            if session?.failure != nil { return Element._blank }
            if let count { requireIndex(position, below: count) }
            if let session = session?.here, session.damage == nil, !Element._mayBeUnknown {
                session.damage = damage
            }
            return Element._blank
        }
        set { replaceSubrange(Self.range(of: position), with: CollectionOfOne(newValue)) }
    }

    /// The elements of a range. Setting them replaces those of the range, by any number of others.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get {
            require(
                bounds.lowerBound >= 0 && bounds.upperBound <= count,
                "Range \(bounds) is out of bounds: the list has \(count) elements.")
            return Slice(base: self, bounds: bounds)
        }
        set {
            // What was changed in a slice of this list is in the list already.
            if newValue.base === self, newValue.startIndex..<newValue.endIndex == bounds { return }
            replaceSubrange(bounds, with: Array(newValue))
        }
    }

    private var damage: Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "A list of \(anchor?.table.className ?? "an object") has fewer elements than it counts. Run "
                + "`travertine fsck` on the directory.", fileURL: session?.shared.fileURL)
    }

    /// Takes the elements there are, which may be fewer than `count` if there is damage.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(allElements())
    }

    /// An iterator over the elements as they are now.
    public func makeIterator() -> IndexingIterator<[Element]> { allElements().makeIterator() }
}
