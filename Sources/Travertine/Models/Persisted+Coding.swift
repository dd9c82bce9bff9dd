extension Persisted {
    static func setLocator(_ locator: PropertyLocator?, at storage: UnsafeMutableRawPointer) {
        let wrapper = storage.assumingMemoryBound(to: Self.self)
        wrapper.pointee.attributes = locator?.attributes ?? PropertyLocator.managedBit
        wrapper.pointee.locatorHigh = locator?.high ?? 0
        wrapper.pointee.locatorLow = locator?.low ?? 0
    }

    static func clearLocator(attributes: UInt8, at storage: UnsafeMutableRawPointer) {
        let wrapper = storage.assumingMemoryBound(to: Self.self)
        wrapper.pointee.attributes = attributes
        wrapper.pointee.locatorHigh = 0
        wrapper.pointee.locatorLow = 0
    }
}

extension ObjectBase {
    /// Lets the wrappers of an object that can be encoded know whether it is managed.
    final func setManaged(_ isManaged: Bool) {
        for (slot, property) in ClassInfo.of(type(of: self)).properties.enumerated() {
            let storage = _memory + property.offset
            if isManaged {
                property.wrapper.setLocator(PropertyLocator(self, slot: slot), at: storage)
            } else {
                property.wrapper.clearLocator(attributes: property.attributes, at: storage)
            }
        }
    }
}

/// How deep objects inside of others are encoded and decoded: both go down by calling themselves,
/// and in a cycle of links for ever.
enum CodingDepth {
    /// The most names and positions on the way to a value.
    static let greatest = 500
    static let problem =
        "The objects link to each other in a cycle, or more than \(greatest) levels deep: "
        + "`detached(depth:)` makes a copy that ends."
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the property's value: that of an unmanaged object, or what the row of a managed one
    /// has.
    ///
    /// - Throws: `EncodingError.invalidValue` for an object that was deleted, and where objects
    ///   link to each other in a cycle, or more than 500 levels deep.
    public func encode(to encoder: any Encoder) throws {
        if Value._storedType.mayLink, encoder.codingPath.count > CodingDepth.greatest {
            throw failure(encoder, CodingDepth.problem)
        }
        var container = encoder.singleValueContainer()
        guard attributes & PropertyLocator.managedBit != 0 else {
            return try container.encode(storage ?? Value._defaultValue())
        }
        let locator = PropertyLocator(attributes: attributes, high: locatorHigh, low: locatorLow)
        guard let object = locator?.object, let slot = locator?.slot else {
            throw failure(
                encoder, "The object can't be read through its wrappers: encode `detached()`.")
        }
        guard !object.isInvalidated else {
            throw failure(encoder, "The object was deleted, or its realm was invalidated.")
        }
        let offset = ClassInfo.of(type(of: object)).properties[slot].offset
        try container.encode(Value._readCold(object, offset))
    }

    private func failure(_ encoder: any Encoder, _ reason: String) -> EncodingError {
        EncodingError.invalidValue(
            self,
            EncodingError.Context(codingPath: encoder.codingPath, debugDescription: reason))
    }
}

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value of an unmanaged object's property.
    public init(from decoder: any Decoder) throws {
        storage = try decoder.singleValueContainer().decode(Value.self)
        attributes = 0
    }
}
