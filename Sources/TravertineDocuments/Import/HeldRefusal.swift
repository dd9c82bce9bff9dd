/// A document that was held back and made no object in the end.
public struct HeldRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The number of the document among those that the importer was given, from 1.
    public let position: Int
    /// Why it made none.
    public let refusal: DocumentRefusal

    /// "document 3: owner: the required link leads to a Person that is not there: 7".
    public var description: String { "document \(position): \(refusal)" }
}
