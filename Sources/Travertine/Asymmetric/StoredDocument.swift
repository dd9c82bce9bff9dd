#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a stored object under their stored names, in the order of its properties.
///
/// A copy that belongs to no realm and no thread. `TravertineDocuments` makes a `Document` of it.
public struct StoredDocument: Sendable, Hashable {
    /// A stored name with its value.
    public struct Field: Sendable, Hashable {
        /// The stored name of the property, or the key in a map.
        public var name: String
        /// The value.
        public var value: StoredValue

        /// A name with its value.
        public init(name: String, value: StoredValue) {
            self.name = name
            self.value = value
        }
    }

    /// The names and values, in order.
    public var fields: [Field]

    /// A document of names and values.
    public init(_ fields: [Field] = []) { self.fields = fields }

    /// The value under a name, or nil. Costs a look at each name before it.
    public subscript(name: String) -> StoredValue? { fields.first { $0.name == name }?.value }
}

extension StoredDocument: ExpressibleByDictionaryLiteral {
    /// A document of names and values in the order of the literal.
    public init(dictionaryLiteral elements: (String, StoredValue)...) {
        self.init(elements.map { Field(name: $0, value: $1) })
    }
}

extension StoredDocument: CustomStringConvertible {
    /// The names and values, in order.
    public var description: String {
        "{" + fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
    }
}
