import TravertineStore

/// One property of each object of a list or set: live, as the objects themselves are.
///
/// ```swift
/// class PersonView: Projection<Person> {
///     @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>
/// }
/// ```
/// Setting a value sets the property of the object at the position, in a write transaction.
public struct ProjectedCollection<Value>: RandomAccessCollection, ThreadConfined {
    private let objectCount: () -> Int
    private let value: (Int) -> Value
    private let setValue: (Value, Int) -> Void
    private let allValues: () -> [Value]
    private let state: () -> (realm: Realm?, isInvalidated: Bool)
    /// The names of the elements' properties that the values are.
    let names: () -> [String]
    /// Begins an observation of properties of the elements; without any, of that of the values.
    let observeReports: ([String]?, @escaping (CollectionReport) -> Void) -> NotificationToken
    private let shownElsewhere: (Realm) -> ProjectedCollection?

    fileprivate init<Objects: ProjectableCollection>(
        _ objects: Objects, _ keyPath: KeyPath<Objects.Element, Value>
    ) where Objects.Element: ObjectBase, Objects.Index == Int {
        objectCount = { objects.count }
        value = { objects[$0][keyPath: keyPath] }
        setValue = { value, position in
            guard let writable = keyPath as? ReferenceWritableKeyPath<Objects.Element, Value> else {
                misuse(
                    "What \(KeyPathText.text(of: keyPath)) leads to can't be set: only properties of the objects "
                        + "themselves, and of links that can't be nil, can be set.")
            }
            objects[position][keyPath: writable] = value
        }
        allValues = { objects.map { $0[keyPath: keyPath] } }
        state = { (objects.realm, objects.isInvalidated) }
        names = { KeyPathTracer.names(of: Objects.Element.self) { $0[keyPath: keyPath] } }
        observeReports = { [names] keyPaths, block in
            objects._results.state.observe(keyPaths ?? [names().joined(separator: ".")], block)
        }
        shownElsewhere = { realm in
            objects._shown(in: realm).map { ProjectedCollection($0, keyPath) }
        }
    }

    /// The realm of a managed collection.
    public var realm: Realm? { state().realm }

    /// Whether the object that the collection belongs to was deleted.
    public var isInvalidated: Bool { state().isInvalidated }

    /// The same as another realm of the store shows it; nil if it is not there.
    public func _shown(in realm: Realm) -> ProjectedCollection? { shownElsewhere(realm) }

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last value.
    public var endIndex: Int { objectCount() }

    /// The number of objects.
    public var count: Int { objectCount() }

    /// The property of the object at a position.
    public subscript(position: Int) -> Value {
        get { value(position) }
        nonmutating set { setValue(newValue, position) }
    }

    /// The position after another, which `...` asks for: the range is checked as a whole.
    public func index(after position: Int) -> Int { position + 1 }

    /// The values of a range.
    public subscript(bounds: Range<Int>) -> Slice<ProjectedCollection> {
        requireRange(bounds, in: self)
        return Slice(base: self, bounds: bounds)
    }

    /// An iterator over the values as they are now.
    public func makeIterator() -> IndexingIterator<[Value]> { allValues().makeIterator() }
}

extension ProjectedCollection: CustomStringConvertible {
    /// The values with their positions, at most a hundred of them.
    public var description: String {
        let values = allValues()
        var lines = values.prefix(100).enumerated().map { "\t[\($0)] \($1)" }
        if values.count > 100 { lines.append("\t... \(values.count - 100) more") }
        return "ProjectedCollection<\(Value.self)> {\n\(lines.joined(separator: ",\n"))\n}"
    }
}

/// Takes the property that a collection of objects is projected to: `list.projectTo.name`.
@dynamicMemberLookup
public struct CollectionElementMapper<Objects: RandomAccessCollection>
where Objects.Element: ObjectBase, Objects.Index == Int {
    fileprivate let objects: Objects
}

extension CollectionElementMapper where Objects: ProjectableCollection {
    /// The property of each object, live.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<Objects.Element, Value>
    ) -> ProjectedCollection<Value> {
        ProjectedCollection(objects, keyPath)
    }
}

/// A collection that can be projected: `List` and `MutableSet`.
public protocol ProjectableCollection: RandomAccessCollection, ThreadConfined
where Index == Int, Element: RealmCollectionValue {
    /// The elements as results; stops for an unmanaged collection.
    var _results: Results<Element> { get }
}

extension List: ProjectableCollection {}
extension MutableSet: ProjectableCollection {}

extension ProjectableCollection where Element: ObjectBase {
    /// The collection, to be followed by the property that it is projected to.
    public var projectTo: CollectionElementMapper<Self> { CollectionElementMapper(objects: self) }
}
