/// Makes a JSON object of each row of a query: its columns by their names.
public struct RowJSON {
    /// What values are that JSON has no type for.
    public enum Form: String, CaseIterable, Sendable {
        /// Numbers and strings: bytes in Base64, times in ISO 8601.
        case plain
        /// Extended JSON, but times are strings in ISO 8601 with microseconds.
        case objects
        /// Extended JSON, whose times have milliseconds.
        case documents
    }

    /// Why a row has no such object. The value itself, which may be confidential, is not in it.
    public struct Failure: Error, CustomStringConvertible {
        /// The column, and what is wrong with its value.
        public let description: String
    }

    private struct Column {
        let name: String
        /// The name in quotes, and a colon.
        let start: [UInt8]
        let type: ColumnType
    }

    private let columns: [Column]
    private let form: Form
    /// As many digits as Decimal128 has.
    private static let digitCountMax = 34

    /// - Throws: `Failure` for names that occur twice, are empty, or begin with a dollar sign,
    ///   which makes values of objects in Extended JSON.
    public init(_ columns: [QueryColumn], form: Form) throws(Failure) {
        if columns.isEmpty { throw Failure(description: "the query gives no rows") }
        var names: Set<[UInt8]> = []
        self.columns = try columns.map { column throws(Failure) in
            let name = column.name
            guard names.insert(Array(name.utf8)).inserted else {
                throw Failure(
                    description: "two columns are called \(name): name one of them with AS")
            }
            if name.isEmpty || name == "?column?" || form != .plain && name.hasPrefix("$") {
                throw Failure(description: "the column “\(name)” needs a name: use AS")
            }
            var start: [UInt8] = []
            JSONBytes.append(string: name.utf8, to: &start)
            start.append(UInt8(ascii: ":"))
            return Column(name: name, start: start, type: column.type)
        }
        self.form = form
    }

    /// Appends the object of a row, and a line feed.
    ///
    /// - Throws: `Failure` for a value that the form has no text for; then nothing is appended.
    public func append(_ row: Row, to bytes: inout [UInt8]) throws {
        let start = bytes.count
        for (place, column) in columns.enumerated() {
            bytes.append(UInt8(ascii: place == 0 ? "{" : ","))
            bytes.append(contentsOf: column.start)
            do {
                let isThere: Void? = try row.value(place) { text throws(PostgreSQLError) in
                    try append(text, column.type, &bytes)
                }
                if isThere == nil { bytes.append(contentsOf: "null".utf8) }
            } catch PostgreSQLError.malformedValue(let reason) {
                bytes.removeSubrange(start...)
                throw Failure(description: "column \(column.name): \(reason)")
            }
        }
        bytes.append(contentsOf: "}\n".utf8)
    }

    /// Appends, in place of the object of a row, why there is none: a JSON string, and a line feed.
    public static func append(_ failure: Failure, to bytes: inout [UInt8]) {
        JSONBytes.append(string: failure.description.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    private func append(
        _ text: UnsafeRawBufferPointer, _ type: ColumnType, _ bytes: inout [UInt8]
    ) throws(PostgreSQLError) {
        switch type {
        case .bool: bytes.append(contentsOf: (text.first == 0x74 ? "true" : "false").utf8)
        case .integer: bytes.append(contentsOf: text)
        case .float: try append(Self.number(text).map { (number: Float) in Double(number) }, &bytes)
        case .double: try append(Self.number(text), &bytes)
        case .numeric: try append(numeric: text, &bytes)
        case .bytes:
            guard let data = Hexadecimal.bytes(of: text) else {
                throw .malformedValue("not a bytea in hexadecimal form")
            }
            if form == .plain { return JSONBytes.append(base64: data, to: &bytes) }
            bytes.append(contentsOf: #"{"$binary":{"base64":"#.utf8)
            JSONBytes.append(base64: data, to: &bytes)
            bytes.append(contentsOf: #","subType":"00"}}"#.utf8)
        case .uuid: wrap("$uuid", text, &bytes)
        case .time: try append(time: text, &bytes)
        case .json:
            let start = bytes.count
            if form == .objects {
                JSONBytes.append(keepingDecimalsOf: text, to: &bytes)
            } else {
                bytes.append(contentsOf: text)
            }
            // Line feeds are between values only: within strings they are escaped.
            for place in start..<bytes.count where bytes[place] == 0x0a || bytes[place] == 0x0d {
                bytes[place] = 0x20
            }
        case .array(let element, let delimiter):
            try append(array: text, of: element, delimiter, &bytes)
        case .text: JSONBytes.append(string: text, to: &bytes)
        }
    }

    /// A string, which an object around it makes a value of another type.
    private func wrap(
        _ name: String, _ text: some Sequence<UInt8>, _ bytes: inout [UInt8]
    ) {
        if form == .plain { return JSONBytes.append(string: text, to: &bytes) }
        bytes.append(contentsOf: "{\"\(name)\":".utf8)
        JSONBytes.append(string: text, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    private static func number<Number: LosslessStringConvertible>(
        _ text: UnsafeRawBufferPointer
    ) -> Number? {
        Number(String(decoding: text, as: UTF8.self))
    }

    /// A number that reads back as the same bits, and not as an integer.
    private func append(_ number: Double?, _ bytes: inout [UInt8]) throws(PostgreSQLError) {
        guard let number else { throw .malformedValue("not a number") }
        if number.isFinite {
            bytes.append(contentsOf: "\(number)".utf8)
        } else {
            let text = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
            wrap("$numberDouble", text.utf8, &bytes)
        }
    }

    private func append(
        numeric text: UnsafeRawBufferPointer, _ bytes: inout [UInt8]
    ) throws(PostgreSQLError) {
        let isFinite = text.last.map { 0x30...0x39 ~= $0 } ?? false
        if form == .plain, isFinite {
            bytes.append(contentsOf: text)
            return
        }
        var digits = text.filter { 0x30...0x39 ~= $0 }.drop { $0 == 0x30 }
        if digits.count > Self.digitCountMax {
            while digits.last == 0x30 { digits.removeLast() }
            guard digits.count <= Self.digitCountMax else {
                throw .malformedValue(
                    "a number of more than \(Self.digitCountMax) digits, which Decimal128 has not: "
                        + "use round() or a cast to text")
            }
        }
        wrap("$numberDecimal", text, &bytes)
    }

    private func append(
        time text: UnsafeRawBufferPointer, _ bytes: inout [UInt8]
    ) throws(PostgreSQLError) {
        var time: [UInt8] = []
        do throws(TimeText.Failure) {
            try TimeText.append(text, isForDocuments: form == .documents, to: &time)
        } catch {
            switch error {
            case .isInfinite:
                throw .malformedValue("an infinite time: leave it out, or use nullif()")
            case .isBeyondDocuments:
                throw .malformedValue(
                    "documents have times of the years 0 to 9999 with milliseconds: use "
                        + "date_trunc('milliseconds', …), or import without --documents")
            case .isMalformed: throw .malformedValue("not a time in the style ISO")
            }
        }
        if form == .documents {
            wrap("$date", time, &bytes)
        } else {
            JSONBytes.append(string: time, to: &bytes)
        }
    }

    private func append(
        array text: UnsafeRawBufferPointer, of element: ColumnType, _ delimiter: UInt8,
        _ bytes: inout [UInt8]
    ) throws(PostgreSQLError) {
        var parts = ArrayText(text, delimiter: delimiter)
        var isAfterElement = false
        while let part = try parts.next() {
            if part != .end, isAfterElement { bytes.append(UInt8(ascii: ",")) }
            isAfterElement = part != .begin
            switch part {
            case .begin: bytes.append(UInt8(ascii: "["))
            case .end: bytes.append(UInt8(ascii: "]"))
            case .null: bytes.append(contentsOf: "null".utf8)
            case .value(let value):
                // A closure that throws typed errors does not get through `withUnsafeBytes`.
                try value.withUnsafeBytes { value in
                    Result { () throws(PostgreSQLError) in try append(value, element, &bytes) }
                }.get()
            }
        }
    }
}
