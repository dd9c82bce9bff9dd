import TravertineJSON

/// Documents that follow each other in a file or a connection, read piece by piece.
///
/// ```swift
/// var documents = DocumentStream(.extendedJSON) { try file.read(upToCount: 1 << 20) ?? [] }
/// while let document = try documents.next() { … }
/// ```
///
/// Extended JSON stands one document on a line (JSON Lines), with any space between documents, or
/// in one array; a byte order mark before it is skipped. BSON documents follow each other,
/// as in dumps, with nothing before them. What is held in memory is a piece and a document,
/// and after one that is no JSON up to `documentByteCountMax` bytes more, to find the next one.
public struct DocumentStream {
    /// How the documents are written.
    public enum Format: Sendable {
        /// Extended JSON in either form, in UTF-8.
        case extendedJSON
        /// BSON.
        case bson
    }

    /// The most bytes of a document: what is longer is refused before it is all in memory.
    public static let documentByteCountMax = 64 << 20

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private let format: Format
    private let read: () throws -> [UInt8]
    /// The bytes that were read. Those before `start` are parsed, the others are not.
    var buffer: [UInt8] = []
    var start = 0
    /// Whether `read` has returned nothing: the stream has no further bytes.
    var isEnded = false
    /// How many bytes after a bad document are searched for its end. Tests set a lower limit.
    var lookAheadByteCountMax = documentByteCountMax
    var array = ArrayState.unknown
    /// The lines before this offset of the stream are known to be separate documents, as in JSON
    /// Lines: none of them closes a bracket of an earlier line. Another bad document continues the
    /// search here, so that no line is examined twice.
    var separateLinesEnd = 0
    /// The lines before this offset of the stream are known to begin documents, the last of them to
    /// be a whole one. As `separateLinesEnd`, it saves examining them again.
    var documentLinesEnd = 0
    /// How often parsing of a document was begun, for tests: one that is longer than what was read
    /// is parsed again from its beginning when more bytes are there.
    private(set) var attemptCount = 0
    /// The line of `start`, and the offset at which it begins.
    private var line = 1
    private(set) var lineOffset = 0

    /// The bytes of the stream that were used: for progress.
    public private(set) var offset = 0
    /// The documents that were read, bad ones included.
    public private(set) var documentCount = 0
    /// Whether there was an error after which nothing can be read, so that the rest was skipped.
    public private(set) var isCutOff = false

    enum ArrayState {
        case unknown
        case none
        case beforeFirst
        case beforeElement
        case afterElement
        case afterArray
    }

    /// The documents in what `read` gives, piece by piece; no bytes are the end.
    public init(_ format: Format, read: @escaping () throws -> [UInt8]) {
        self.format = format
        self.read = read
    }

    /// The documents in bytes.
    public init(_ format: Format, _ bytes: [UInt8]) {
        self.init(format) { [] }
        buffer = bytes
        isEnded = true
    }

    /// The next document; nil after the last one.
    ///
    /// After a `DocumentError` the next call goes on with the next document, where it is certain
    /// that nothing inside the bad one is taken for it: after a document that is JSON, but no
    /// Extended JSON; after one that is no JSON, but stands on a line by itself, or has brackets
    /// that match and end with a line; after one of BSON whose values end where its length says.
    /// Otherwise there are no more, and `isCutOff` is true. What cannot be recognised is a text
    /// with a line end in it, which JSON does not allow, whose own quotes are not escaped either.
    ///
    /// - Throws: `DocumentError` with the place in the stream; and what reading throws.
    public mutating func next() throws -> Document? {
        try counted { stream in
            if stream.format == .bson { return try stream.nextBSON() }
            return try stream.nextJSON { (reader) throws(JSONFailure) in try reader.document() }
        }
    }

    /// Makes an object of the next document; false after the last one. Extended JSON is read
    /// without a `Document` in between.
    ///
    /// - Throws: as `next()`; `DocumentRefusal` for a document that does not fit, after which the
    ///   next call goes on; and what storing throws.
    public mutating func next(into importer: DocumentImporter) throws -> Bool {
        if format == .bson || importer.needsDocuments {
            guard let document = try next() else { return false }
            importer.position = documentCount - 1
            try importer.insert(document)
            return true
        }
        let refusal = try counted { stream in
            try stream.nextJSON { (reader) throws(JSONFailure) in
                try importer.fill(from: &reader)
            }
        }
        guard let refusal else { return false }
        if let refusal { throw DocumentRefusal([refusal.problem]) }
        importer.position = documentCount
        try importer.storeFilled()
        return true
    }

    private mutating func counted<Result>(
        _ body: (inout DocumentStream) throws -> Result?
    ) throws -> Result? {
        do {
            let result = try body(&self)
            if result != nil { documentCount += 1 }
            return result
        } catch let error as DocumentError {
            documentCount += 1
            throw error
        }
    }

    // MARK: - Bytes

    var restCount: Int { buffer.count - start }

    /// Reads until there are so many unused bytes; false if the stream ends before.
    mutating func fill(_ count: Int) throws -> Bool {
        while restCount < count {
            if isEnded { return false }
            // Rarely enough that moving what is left costs no more than reading it did.
            if start > restCount {
                buffer.removeFirst(start)
                start = 0
            }
            let piece = try read()
            isEnded = piece.isEmpty
            buffer.append(contentsOf: piece)
        }
        return true
    }

    mutating func use(_ count: Int) {
        if format == .extendedJSON {
            for index in start..<start + count where buffer[index] == 0x0A {
                line += 1
                lineOffset = offset + index - start + 1
            }
        }
        start += count
        offset += count
    }

    /// Uses all that is left, so that there are no more documents.
    mutating func stop() {
        isCutOff = true
        start = buffer.count
        isEnded = true
        array = .none
    }
}

// MARK: - BSON

extension DocumentStream {
    private mutating func nextBSON() throws -> Document? {
        guard try fill(1) else { return nil }
        guard try fill(4) else { throw ending("a document ends in its length") }
        let byteCount = buffer.withUnsafeBytes {
            Int(Int32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: Int32.self)))
        }
        guard (5...Self.documentByteCountMax).contains(byteCount) else {
            throw ending("a document of \(byteCount) bytes" + advice)
        }
        guard try fill(byteCount) else {
            throw ending("a document of \(byteCount) bytes has \(restCount)" + advice)
        }
        let (result, isSound) = buffer.withUnsafeBytes { bytes in
            let own = UnsafeRawBufferPointer(rebasing: bytes[start..<start + byteCount])
            let result = Result { () throws(DocumentError) in try Document(bson: own) }
            if case .success = result { return (result, true) }
            return (result, BSONEnd.isSound(own))
        }
        // Anything may follow a length that is not sound, also what is inside the document.
        defer { isSound ? use(byteCount) : stop() }
        switch result {
        case .success(let document): return document
        case .failure(.invalidBSON(let reason, let place)):
            throw DocumentError.invalidBSON(reason: reason, offset: offset + place)
        case .failure(let error): throw error
        }
    }

    /// What to do about bytes at the beginning that are no length.
    private var advice: String {
        guard offset == 0, restCount > 0 else { return "" }
        if buffer[start...].starts(with: Self.byteOrderMark) {
            return ": the bytes begin with a byte order mark, as text does; BSON has none"
        }
        let isText = buffer[start] == UInt8(ascii: "{") || buffer[start] == UInt8(ascii: "[")
        return isText ? ": this looks like JSON" : ""
    }

    private mutating func ending(_ reason: String) -> DocumentError {
        defer { stop() }
        return .invalidBSON(reason: reason, offset: offset)
    }
}

// MARK: - Extended JSON

extension DocumentStream {
    /// What `parse` makes of the next document.
    private mutating func nextJSON<Result>(
        _ parse: (inout ExtendedJSONReader) throws(JSONFailure) -> Result
    ) throws -> Result? {
        try skipByteOrderMark()
        guard try skipSpace() else {
            if [.unknown, .none, .afterArray].contains(array) { return nil }
            throw failure("the array of documents does not end")
        }
        if array == .afterArray { throw failure("text after the array of documents") }
        if array == .unknown {
            array = buffer[start] == UInt8(ascii: "[") ? .beforeFirst : .none
            if array == .beforeFirst { use(1) }
        }
        if array == .beforeFirst || array == .afterElement {
            if try isArrayOver() { return try nextJSON(parse) }
            if array == .afterElement {
                guard buffer[start] == UInt8(ascii: ",") else {
                    throw failure("\",\" expected between documents")
                }
                use(1)
            }
            array = .beforeElement
        }
        guard try skipSpace() else { throw failure("the array of documents does not end") }
        return try document(parse)
    }

    /// Whether the array ends here; then that is noted.
    private mutating func isArrayOver() throws -> Bool {
        guard try skipSpace() else { throw failure("the array of documents does not end") }
        guard buffer[start] == UInt8(ascii: "]") else { return false }
        use(1)
        array = .afterArray
        return true
    }

    private mutating func skipByteOrderMark() throws {
        guard offset == 0, try fill(3),
            buffer[start..<start + 3].elementsEqual(Self.byteOrderMark)
        else { return }
        use(3)
        lineOffset = 3
    }

    /// Skips space; false at the end.
    private mutating func skipSpace() throws -> Bool {
        while try fill(1) {
            switch buffer[start] {
            case 0x20, 0x0A, 0x0D, 0x09: use(1)
            default: return true
            }
        }
        return false
    }

    /// Reads the document that begins here, with more pieces as long as it ends with what is there.
    private mutating func document<Made>(
        _ parse: (inout ExtendedJSONReader) throws(JSONFailure) -> Made
    ) throws -> Made {
        while true {
            attemptCount += 1
            let (result, usedCount) = attempt(parse)
            switch result {
            case .success(let document):
                use(usedCount)
                if array != .none { array = .afterElement }
                return document
            case .failure(let error):
                let isCut = usedCount == restCount && !isEnded
                guard isCut else { throw try passed(error) }
                guard restCount <= Self.documentByteCountMax else {
                    throw failure("a document of more than \(Self.documentByteCountMax) bytes")
                }
                // Twice as much each time, so that a long document is not begun too often.
                _ = try fill(2 * restCount)
            }
        }
    }

    private func attempt<Made>(
        _ parse: (inout ExtendedJSONReader) throws(JSONFailure) -> Made
    ) -> (result: Result<Made, DocumentError>, usedCount: Int) {
        buffer.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            var reader = ExtendedJSONReader(rest)
            let result = Result { () throws(JSONFailure) in try parse(&reader) }
                .mapError { DocumentError($0, in: rest) }
            return (result, reader.scanner.offset)
        }
    }

    /// The error with its place in the stream, after skipping the bad document or all the rest.
    private mutating func passed(_ error: DocumentError) throws -> DocumentError {
        let placed = place(error)
        guard let byteCount = try badByteCount() else {
            stop()
            return placed
        }
        use(byteCount)
        if array != .none { array = .afterElement }
        return placed
    }

    /// An error at the next byte, after which there are no more documents.
    private mutating func failure(_ reason: String) -> DocumentError {
        defer { stop() }
        let start = TextPosition(offset: 0, line: 1, column: 1)
        return place(.invalidJSON(reason: reason, position: start))
    }

    /// An error of the text from `start` on, with the place in the stream.
    private func place(_ error: DocumentError) -> DocumentError {
        guard case .invalidJSON(let reason, let position) = error else { return error }
        let column = position.line == 1 ? offset - lineOffset + position.column : position.column
        return .invalidJSON(
            reason: reason,
            position: TextPosition(
                offset: offset + position.offset, line: line + position.line - 1, column: column))
    }
}
