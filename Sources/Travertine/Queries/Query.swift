import TravertineStore

/// A condition under construction: what the closure of `where` gets.
///
/// ```swift
/// realm.objects(City.self).where { $0.population > 1_000_000 && $0.country.code == "PT" }
/// ```
/// A member is a property, through links too; a link that is nil makes the value nil. Comparing a
/// list compares its elements: any that matches is enough.
@dynamicMemberLookup
public struct Query<T> {
    enum Node {
        /// The element of a collection of values.
        case element
        case path([String])
        case count([String])
        case predicate(FormerPredicate)
    }

    let node: Node

    init(_ node: Node) { self.node = node }

    var path: [String] {
        if case .element = node { return [] }
        guard case .path(let names) = node, !names.isEmpty else {
            misuse(
                "A condition can't be compared: compare properties with values or with properties.")
        }
        return names
    }

    func adding<Root: ObjectBase, Value>(
        _ keyPath: KeyPath<Root, Value>
    ) -> Query<Value> {
        guard case .path(let names) = node else {
            misuse("A property follows an object, not a condition.")
        }
        return Query<Value>(.path(names + KeyPathTracer.requiredNames(of: keyPath)))
    }
}

/// A class of objects, whose properties a condition can name.
///
/// Conditions ask for this protocol: of a class alone the compiler (6.3) does not see to it that a
/// member belongs to it, takes `$0.name.count` for a property, and the program crashes.
public protocol _QueryObject: ObjectBase {}

extension ObjectBase: _QueryObject {}

extension Query where T: _QueryObject {
    /// A property of the object.
    public subscript<Value>(dynamicMember keyPath: KeyPath<T, Value>) -> Query<Value> {
        adding(keyPath)
    }
}

extension Query {
    /// A property of the linked object.
    public subscript<Target: ObjectBase, Value>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == Target? {
        adding(keyPath)
    }

    /// A property of the linked objects.
    public subscript<Target: ObjectBase, Value>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == List<Target> {
        adding(keyPath)
    }

    /// A property of the linked objects.
    public subscript<Target: ObjectBase, Value>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == MutableSet<Target> {
        adding(keyPath)
    }

    /// A property of the objects that link here.
    public subscript<Target: ObjectBase, Value>(
        dynamicMember keyPath: KeyPath<Target, Value>
    ) -> Query<Value> where T == LinkingObjects<Target> {
        adding(keyPath)
    }
}

/// Values that are stored as embedded objects: their members here are those of the objects.
extension Query {
    /// A property of the embedded object that is stored for a value.
    public subscript<Form: EmbeddedObject, Value>(
        dynamicMember keyPath: KeyPath<Form, Value>
    ) -> Query<Value> where T: FailableCustomPersistable, T.PersistedType == Form {
        adding(keyPath)
    }

    /// A property of the embedded object that is stored for a value.
    public subscript<Form: EmbeddedObject, Value>(
        dynamicMember keyPath: KeyPath<Form, Value>
    ) -> Query<Value> where T: _HasPersistedType, T.PersistedType == Form? {
        adding(keyPath)
    }

    /// A property of the embedded objects that are stored for values.
    public subscript<Form: EmbeddedObject, Value>(
        dynamicMember keyPath: KeyPath<Form, Value>
    ) -> Query<Value>
    where
        T: RealmCollection, T.Element: FailableCustomPersistable, T.Element.PersistedType == Form
    {
        adding(keyPath)
    }
}

extension Query {
    /// The value of a property that is declared with `RealmProperty`.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<RealmProperty<Value>, Value>
    ) -> Query<Value> where T == RealmProperty<Value> {
        Query<Value>(.path(path))
    }
}

// MARK: - Logic

extension Query where T == Bool {
    /// The condition; a property of truth values is a condition itself.
    var predicate: FormerPredicate {
        switch node {
        case .predicate(let predicate): predicate
        case .path(let names): .compare(names, .equal, .bool(true))
        case .element: .compare([], .equal, .bool(true))
        case .count: .constant(false)
        }
    }

    fileprivate init(_ predicate: FormerPredicate) { node = .predicate(predicate) }

    /// Both conditions.
    public static func && (left: Query, right: Query) -> Query {
        Query(FormerPredicate.and(left.predicate, right.predicate))
    }

    /// Either condition.
    public static func || (left: Query, right: Query) -> Query {
        Query(FormerPredicate.or(left.predicate, right.predicate))
    }

    /// Not the condition.
    public static prefix func ! (operand: Query) -> Query {
        Query(FormerPredicate.not(operand.predicate))
    }
}

// MARK: - Equality

extension Query where T: Equatable {
    /// Equal to a value; nil is equal to nil.
    public static func == (left: Query, right: T) -> Query<Bool> { left.compare(.equal, right) }

    /// Not equal to a value.
    public static func != (left: Query, right: T) -> Query<Bool> { left.compare(.notEqual, right) }

    /// Equal to another property.
    public static func == (left: Query, right: Query) -> Query<Bool> {
        Query<Bool>(.compareProperties(left.path, .equal, right.path))
    }

    /// Not equal to another property.
    public static func != (left: Query, right: Query) -> Query<Bool> {
        Query<Bool>(.compareProperties(left.path, .notEqual, right.path))
    }

    /// Equal to one of the values.
    public func `in`(_ values: some Sequence<T>) -> Query<Bool> {
        Query<Bool>(.isIn(path, values.map { FormerPredicate.constant($0) }))
    }
}

extension Query {
    fileprivate func compare(_ comparison: FormerPredicate.Comparison, _ value: T) -> Query<Bool> {
        if case .count(let names) = node {
            return Query<Bool>(.count(names, comparison, value as? Int ?? 0))
        }
        if case .predicate(let predicate) = node, let wanted = value as? Bool {
            let isNegated = (comparison == .notEqual) == wanted
            return Query<Bool>(isNegated ? .not(predicate) : predicate)
        }
        return Query<Bool>(.compare(path, comparison, FormerPredicate.constant(value)))
    }
}

// MARK: - Order

/// A type whose values a query can order: numbers, dates, strings, data, and optionals of these.
public protocol _QueryNumeric {}

extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension String: _QueryNumeric {}
extension ObjectId: _QueryNumeric {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}

extension Query where T: _QueryNumeric {
    /// Before a value; nil is before and after nothing.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compare(.less, right) }

    /// Before a value or equal to it.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        left.compare(.lessOrEqual, right)
    }

    /// After a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compare(.greater, right) }

    /// After a value or equal to it.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        left.compare(.greaterOrEqual, right)
    }

    /// Before another property.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        Query<Bool>(.compareProperties(left.path, .less, right.path))
    }

    /// Before another property or equal to it.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        Query<Bool>(.compareProperties(left.path, .lessOrEqual, right.path))
    }

    /// After another property.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        Query<Bool>(.compareProperties(left.path, .greater, right.path))
    }

    /// After another property or equal to it.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        Query<Bool>(.compareProperties(left.path, .greaterOrEqual, right.path))
    }

    /// In a range, its upper bound left out.
    public func contains(_ range: Range<T>) -> Query<Bool> where T: Comparable {
        self >= range.lowerBound && self < range.upperBound
    }

    /// In a range, both bounds included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> where T: Comparable {
        self >= range.lowerBound && self <= range.upperBound
    }

    /// In a range, its upper bound left out.
    public func contains<Bound: Comparable>(_ range: Range<Bound>) -> Query<Bool>
    where T == Bound? {
        self >= range.lowerBound && self < range.upperBound
    }

    /// In a range, both bounds included.
    public func contains<Bound: Comparable>(_ range: ClosedRange<Bound>) -> Query<Bool>
    where T == Bound? {
        self >= range.lowerBound && self <= range.upperBound
    }
}

// MARK: - Strings

/// String and its optional.
public protocol _QueryString {}
extension String: _QueryString {}
extension Optional: _QueryString where Wrapped: _QueryString {}

extension Query where T: _QueryString {
    /// Has the text in it.
    public func contains(_ text: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(.text(path, .contains, text, options))
    }

    /// Begins with the text.
    public func starts(with text: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(.text(path, .starts, text, options))
    }

    /// Ends with the text.
    public func ends(with text: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(.text(path, .ends, text, options))
    }

    /// Is the text.
    public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(.text(path, .equals, text, options))
    }

    /// Is not the text.
    public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        Query<Bool>(.not(.text(path, .equals, text, options)))
    }

    /// Matches a pattern, in which `?` is any character and `*` any number of them.
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
        Query<Bool>(.text(path, .like, pattern, caseInsensitive ? .caseInsensitive : []))
    }
}

// MARK: - Collections

extension Query {
    /// Has the element in it.
    public func contains<Element>(_ element: Element) -> Query<Bool> where T == List<Element> {
        Query<Bool>(.compare(path, .equal, FormerPredicate.constant(element)))
    }

    /// Has the element in it.
    public func contains<Element>(_ element: Element) -> Query<Bool>
    where T == MutableSet<Element> {
        Query<Bool>(.compare(path, .equal, FormerPredicate.constant(element)))
    }

    /// Has the value under a key.
    public func contains<Value>(_ value: Value) -> Query<Bool> where T == Map<String, Value> {
        Query<Bool>(.compare(path, .equal, FormerPredicate.constant(value)))
    }
}

/// A list, which is compared by its elements: any that matches is enough.
///
/// A protocol, as with `where T == List<Element>` the compiler (6.3) names lists in its messages
/// about every comparison with a value of the wrong type.
public protocol _QueryList {
    associatedtype Element
}

extension List: _QueryList {}

extension Query where T: _QueryList {
    /// Has an element that is equal to the value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> {
        Query<Bool>(.compare(left.path, .equal, FormerPredicate.constant(right)))
    }

    /// Has an element that is not equal to the value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> {
        Query<Bool>(.compare(left.path, .notEqual, FormerPredicate.constant(right)))
    }
}

extension Query where T: Sequence & ThreadConfined {
    /// The number of elements.
    public var count: Query<Int> { Query<Int>(.count(path)) }
}
