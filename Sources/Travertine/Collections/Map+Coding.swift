extension Map: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as a dictionary, of keys that are equal as strings the last one; managed
    /// objects with all that they link to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EntryKey.self)
        for (key, value) in allEntries() {
            try container.encode(value, forKey: EntryKey(stringValue: key._text))
        }
    }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes an unmanaged map from a dictionary.
    public convenience init(from decoder: any Decoder) throws {
        var entries: [Key: Value] = [:]
        for (key, value) in try [String: Value](from: decoder) {
            entries[Key(_text: key)] = value
        }
        self.init(entries: entries)
    }
}

/// A key of a map that is encoded.
private struct EntryKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
