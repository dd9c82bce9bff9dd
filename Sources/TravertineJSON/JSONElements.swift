/// The elements of an array or the members of an object, one after the other.
public struct JSONElements: Sendable {
    /// The bracket that ends them.
    @usableFromInline let closer: UInt8
    @usableFromInline var isFirst = true

    @inlinable
    init(closer: UInt8) { self.closer = closer }
}
