/// A collection of a realm, whichever it is: a list, a set, linking objects, or results.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    let base: any RealmCollection<Element>

    /// The collection without its type.
    public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
        self.base = base
    }

    /// The realm of a managed collection.
    public var realm: Realm? { base.realm }

    /// Whether the object that the collection belongs to was deleted.
    public var isInvalidated: Bool { base.isInvalidated }

    /// The elements as results.
    public var _results: Results<Element> { base._results }

    /// The position of an element, or nil.
    public func index(of object: Element) -> Int? { base.index(of: object) }

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last element.
    public var endIndex: Int { base.count }

    /// The number of elements.
    public var count: Int { base.count }

    /// The element at a position.
    public subscript(position: Int) -> Element { base[position] }

    /// Takes the elements there are, which may be fewer than `count` if there is damage.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(Array(base))
    }

    /// An iterator over the elements as they are now.
    public func makeIterator() -> IndexingIterator<[Element]> { Array(base).makeIterator() }

    /// The collection's own.
    public var description: String { base.description }
}

extension AnyRealmCollection: Equatable {
    /// Whether both are the same collection, as its own type compares them.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
        func isEqual<Base: RealmCollection<Element>>(_ base: Base) -> Bool {
            (right.base as? Base).map { base == $0 } ?? false
        }
        return isEqual(left.base)
    }
}
