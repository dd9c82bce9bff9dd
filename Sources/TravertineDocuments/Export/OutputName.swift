/// What is written before a value in a document.
enum OutputName {
    /// Nothing: the document is not inside another.
    case root
    /// A field of a type.
    case field(FieldName)
    /// A key of a dictionary.
    case key(UnsafeRawBufferPointer)
    /// A position in an array.
    case position(Int)
}
