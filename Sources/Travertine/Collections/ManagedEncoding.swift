/// What is encoded in place of an element: a copy of a managed object, whose values are in its row
/// and not in it.
func encodable<Element: Encodable>(_ element: Element) -> any Encodable {
    guard let object = element as? ObjectBase, object.core != nil,
        let copy = object.detached() as? any Encodable
    else { return element }
    return copy
}

extension UnkeyedEncodingContainer {
    /// Encodes elements, managed objects among them as copies with all that they link to.
    mutating func encode(elements: [some Encodable]) throws {
        for element in elements { try encode(encodable(element)) }
    }
}

extension Results: Encodable where Element: ObjectBase & Encodable {
    /// Encodes the objects as an array, with all that they link to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for object in self { try container.encode(object.detached()) }
    }
}
