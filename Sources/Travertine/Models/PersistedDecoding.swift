/// What `Decodable` classes find for properties that the input lacks: nil for optional ones, and an
/// empty collection.
///
/// The compiler's own `init(from:)` of a class asks a container for the wrappers of its properties;
/// the most special of these functions answers.
extension KeyedDecodingContainer {
    /// Decodes an optional property: nil for a missing key, and for null.
    public func decode<Wrapped: _PersistableInsideOptional & Decodable>(
        _ type: Persisted<Wrapped?>.Type, forKey key: Key
    ) throws -> Persisted<Wrapped?> {
        try decodeIfPresent(type, forKey: key) ?? Persisted()
    }

    /// Decodes a list, a set or a map: an empty one for a missing key, and for null.
    public func decode<Elements: _StoredCollection & Decodable>(
        _ type: Persisted<Elements>.Type, forKey key: Key
    ) throws -> Persisted<Elements> {
        try decodeIfPresent(type, forKey: key) ?? Persisted()
    }
}
