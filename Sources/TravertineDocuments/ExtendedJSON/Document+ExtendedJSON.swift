import TravertineJSON

/// Documents from and to Extended JSON (J-D1, J-D2).
extension Document {
    /// The document that a text of Extended JSON is, in either form.
    ///
    /// - Throws: `DocumentError.invalidJSON` with line and column.
    public init(extendedJSON text: String) throws(DocumentError) {
        var text = text
        self = try text.withUTF8 { buffer in
            Result { () throws(DocumentError) in
                try Document(extendedJSON: UnsafeRawBufferPointer(buffer))
            }
        }.get()
    }

    /// The document that bytes of Extended JSON in UTF-8 are, in either form.
    ///
    /// - Throws: `DocumentError.invalidJSON` with line and column.
    public init(extendedJSON bytes: UnsafeRawBufferPointer) throws(DocumentError) {
        self = try ExtendedJSONReader.read(bytes) { (reader) throws(JSONFailure) in
            try reader.document()
        }
    }

    /// The document as Extended JSON, without space.
    ///
    /// - Throws: `DocumentError.notEncodable` for an object with a name such as "$date", which
    ///   would be read as a value of another type, and for more than 200 levels.
    public func extendedJSON(
        _ mode: ExtendedJSONMode = .relaxed
    ) throws(DocumentError) -> String {
        try AnyBSON.document(self).extendedJSON(mode)
    }

    /// Adds the document as Extended JSON in UTF-8 after other bytes, which stay as they are if
    /// this throws.
    ///
    /// - Throws: as `extendedJSON(_:)`.
    public func appendExtendedJSON(
        to bytes: inout [UInt8], mode: ExtendedJSONMode = .relaxed
    ) throws(DocumentError) {
        try AnyBSON.document(self).requireExtendedJSON()
        var writer = ExtendedJSONWriter(appendingTo: bytes, mode: mode)
        bytes = []
        writer.write(self)
        bytes = writer.bytes
    }
}

extension AnyBSON {
    /// The value that a text of Extended JSON is, in either form.
    ///
    /// - Throws: `DocumentError.invalidJSON` with line and column.
    public init(extendedJSON text: String) throws(DocumentError) {
        var text = text
        self = try text.withUTF8 { buffer in
            Result { () throws(DocumentError) in
                try ExtendedJSONReader.read(UnsafeRawBufferPointer(buffer)) {
                    (reader) throws(JSONFailure) in try reader.value()
                }
            }
        }.get()
    }

    /// The value as Extended JSON, without space.
    ///
    /// - Throws: `DocumentError.notEncodable` for an object with a name such as "$date", which
    ///   would be read as a value of another type, and for more than 200 levels.
    public func extendedJSON(
        _ mode: ExtendedJSONMode = .relaxed
    ) throws(DocumentError) -> String {
        try requireExtendedJSON()
        return ExtendedJSONWriter.text(of: self, mode: mode)
    }

    fileprivate func requireExtendedJSON() throws(DocumentError) {
        guard let obstacle = ExtendedJSONWrapper.obstacle(in: self) else { return }
        throw .notEncodable(
            reason: obstacle.reason, path: obstacle.path.joined(separator: "."))
    }
}
