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
        var reader = ExtendedJSONReader(bytes)
        self = try reader.document()
        try reader.requireEnd()
    }

    /// The document as Extended JSON, without space.
    public func extendedJSON(_ mode: ExtendedJSONMode = .relaxed) -> String {
        ExtendedJSONWriter.text(of: .document(self), mode: mode)
    }

    /// Adds the document as Extended JSON in UTF-8 behind other bytes.
    public func appendExtendedJSON(
        to bytes: inout [UInt8], mode: ExtendedJSONMode = .relaxed
    ) {
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
                var reader = ExtendedJSONReader(UnsafeRawBufferPointer(buffer))
                let value = try reader.value()
                try reader.requireEnd()
                return value
            }
        }.get()
    }

    /// The value as Extended JSON, without space.
    public func extendedJSON(_ mode: ExtendedJSONMode = .relaxed) -> String {
        ExtendedJSONWriter.text(of: self, mode: mode)
    }
}

/// Documents of Extended JSON that follow each other in one buffer.
///
/// They stand one on a line (JSON Lines), with any space between them, or in one array. The buffer
/// has to outlive the value.
public struct ExtendedJSONDocuments {
    private let bytes: UnsafeRawBufferPointer
    private var isArray = false
    private var isFirst = true
    /// The offset of what comes next.
    public private(set) var offset = 0

    /// The documents in a buffer.
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next document; nil behind the last one.
    ///
    /// After an error in JSON Lines the next call goes on behind the line; in an array there are
    /// no more.
    ///
    /// - Throws: `DocumentError.invalidJSON` with line and column in the buffer.
    public mutating func next() throws(DocumentError) -> Document? {
        var reader = ExtendedJSONReader(bytes)
        reader.scanner.offset = offset
        offset = bytes.count
        if isFirst {
            isFirst = false
            isArray = reader.scanner.take(UInt8(ascii: "["))
            if isArray && reader.scanner.take(UInt8(ascii: "]")) {
                try reader.requireEnd()
                return nil
            }
        }
        reader.scanner.skipSpace()
        guard isArray || reader.scanner.byte != nil else { return nil }
        if isArray && isFinished { return nil }
        return isArray ? try element(&reader) : try line(&reader)
    }

    private var isFinished = false

    private mutating func line(
        _ reader: inout ExtendedJSONReader
    ) throws(DocumentError) -> Document {
        let start = reader.scanner.offset
        do throws(DocumentError) {
            let document = try reader.document()
            offset = reader.scanner.offset
            return document
        } catch {
            var scanner = JSONScanner(bytes)
            scanner.offset = start
            scanner.skipLine()
            offset = max(scanner.offset, start)
            throw error
        }
    }

    private mutating func element(
        _ reader: inout ExtendedJSONReader
    ) throws(DocumentError) -> Document {
        isFinished = true
        let document = try reader.document()
        if reader.scanner.take(UInt8(ascii: "]")) {
            try reader.requireEnd()
        } else {
            try reader.scanner.require(UInt8(ascii: ","), "between documents")
            offset = reader.scanner.offset
            isFinished = false
        }
        return document
    }
}
