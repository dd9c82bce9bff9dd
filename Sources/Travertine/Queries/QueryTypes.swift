#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The protocols of this file say which operators a property has in `where`. They are protocols, not
// overloads for each type, because the compiler tries every overload for each operator of a
// condition. Enums and custom types conform to none of them; their `PersistedType` does.

/// A stored type whose properties a condition can compare with each other: the most general of the
/// protocols that say which operators a property has in `where`.
public protocol _QueryColumn {
    /// What the types have in common that compare with each other.
    associatedtype _Comparand = Self
}

/// What properties of all types of numbers are compared as.
public enum _QueryNumber {}

/// A type whose values a condition can order: numbers, dates, identifiers, strings, data, values of
/// any type, and optionals of these.
public protocol _QueryNumeric: _HasPersistedType, _QueryColumn
where PersistedType: _QueryNumeric {}

/// A type whose values a condition can search: strings, data, values of any type, and optionals of
/// these.
public protocol _QueryBinary: _QueryNumeric where PersistedType: _QueryBinary {
    /// The type of what is looked for.
    associatedtype _Part = Self
}

/// A type whose values can match a pattern, or be compared without regard to case: strings, values
/// of any type, and optionals of these.
public protocol _QueryString: _QueryBinary where PersistedType: _QueryString {}

/// A type that has a least and a greatest value among many: numbers, dates, values of any type, and
/// optionals of these.
public protocol _QueryBounded: _QueryNumeric where PersistedType: _QueryBounded {}

/// A type whose values can be added: numbers, values of any type, and optionals of these.
public protocol _QueryAddable: _QueryBounded where PersistedType: _QueryAddable {
    /// The type of a mean.
    associatedtype _Mean = Double
}

/// A type of numbers, which compare with numbers of every type.
public protocol _QueryNumberType: _QueryAddable where _Comparand == _QueryNumber {}

extension Int: _QueryNumberType {}
extension Int8: _QueryNumberType {}
extension Int16: _QueryNumberType {}
extension Int32: _QueryNumberType {}
extension Int64: _QueryNumberType {}
extension Float: _QueryNumberType {}
extension Double: _QueryNumberType {}
extension Decimal128: _QueryNumberType {
    /// A decimal number.
    public typealias _Mean = Decimal128
}
extension AnyRealmValue: _QueryAddable, _QueryString {
    /// A number in a value of any type.
    public typealias _Mean = AnyRealmValue
}
extension String: _QueryString {}
extension Data: _QueryBinary {}
extension Date: _QueryBounded {}
extension UUID: _QueryNumeric {}
extension ObjectId: _QueryNumeric {}
extension Bool: _QueryColumn {}
extension ObjectBase: _QueryColumn {
    /// Objects compare with objects.
    public typealias _Comparand = ObjectBase
}

extension Optional: _QueryColumn where Wrapped: _QueryColumn {
    /// What the value compares with.
    public typealias _Comparand = Wrapped._Comparand
}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {
    /// What the value is searched for.
    public typealias _Part = Wrapped._Part
}
extension Optional: _QueryString where Wrapped: _QueryString {}
extension Optional: _QueryBounded where Wrapped: _QueryBounded {}
extension Optional: _QueryAddable where Wrapped: _QueryAddable {
    /// The mean of values that are not nil.
    public typealias _Mean = Wrapped._Mean
}

/// A class of objects, whose properties a condition can name.
///
/// Conditions ask for this protocol: of a class alone the compiler (6.3) does not see to it that a
/// member belongs to it, takes `$0.name.count` for a property, and the program crashes.
public protocol _QueryObject: ObjectBase {}

extension ObjectBase: _QueryObject {}

/// What leads to objects, whose properties follow in a condition: a link, or a collection of
/// objects.
public protocol _QueryLink {
    /// The class of the objects.
    associatedtype _Target: _QueryObject
}

extension Optional: _QueryLink where Wrapped: _QueryObject {
    /// The class of the linked object.
    public typealias _Target = Wrapped
}
extension List: _QueryLink where Element: _QueryObject {
    /// The class of the elements.
    public typealias _Target = Element
}
extension MutableSet: _QueryLink where Element: _QueryObject {
    /// The class of the elements.
    public typealias _Target = Element
}
extension LinkingObjects: _QueryLink {
    /// The class of the objects.
    public typealias _Target = Element
}
extension Map: _QueryLink where Value: _QueryLink {
    /// The class of the values.
    public typealias _Target = Value._Target
}

/// A collection in an object, which a condition compares by its elements.
///
/// A protocol, as with `where T == List<Element>` the compiler (6.3) names lists in its messages
/// about every comparison with a value of the wrong type.
public protocol _QueryCollection: _AggregatedCollection {}

extension List: _QueryCollection {}
extension MutableSet: _QueryCollection {}
extension LinkingObjects: _QueryCollection {}
extension Map: _QueryCollection {}

/// A map, whose keys and single values a condition can name.
public protocol _QueryMap: _QueryCollection {}

extension Map: _QueryMap {}

/// An optional, so that conditions can ask what is in it.
public protocol _QueryOptional {
    /// The type of what is in it.
    associatedtype Wrapped
}

extension Optional: _QueryOptional {}
