import TravertineJSON

/// The name of a field, as the formats have it.
struct FieldName {
    /// In quotes, with the colon.
    let json: [UInt8]
    /// With the zero byte.
    let bson: [UInt8]
    /// The name, if Extended JSON would read its object as a value of another type.
    let wrapper: String?

    init(_ name: String) {
        wrapper = ExtendedJSONWrapper.isName(name) ? name : nil
        var json: [UInt8] = []
        JSONText.append(name: name, to: &json)
        self.json = json
        bson = Array(name.utf8) + [0]
    }
}
