/// A document that is held back until the targets of its required links are there.
struct HeldDocument {
    /// The number of the document, from 1.
    let position: Int
    let document: Document
    /// The object that it makes.
    let own: LinkTarget
    let missing: [MissingTarget]
}
