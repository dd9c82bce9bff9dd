extension UnkeyedEncodingContainer {
    /// Encodes elements one after the other.
    mutating func encode(elements: some Sequence<some Encodable>) throws {
        for element in elements { try encode(element) }
    }
}

extension Results: Encodable where Element: Encodable {
    /// Encodes the elements as an array; objects with all that they link to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    /// Encodes the elements as an array; managed objects with all that they link to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}
