import TravertineJSON

/// Reads the elements of a JSON array, which may be on one line or on many. A record's number is
/// that of its element, from 1.
struct JSONArrayReader: RecordReader {
    private enum Place {
        case start
        case firstElement
        case nextElement
        case afterLast
        case end
    }

    private var lines: LineReader
    private let fieldNames: [[UInt8]]
    private var place = Place.start
    private var elementCount = 0
    private var piece: ArraySlice<UInt8> = []

    /// Reads from the start of `lines`, and gives these fields of each object.
    init(_ lines: LineReader, fields: [String]) {
        self.lines = lines
        fieldNames = fields.map { Array($0.utf8) }
    }

    var byteCount: UInt64 { lines.byteCount - UInt64(piece.count) }
    var totalByteCount: UInt64? { lines.totalByteCount }
    var unit: String { "element" }

    mutating func next() throws -> Result<InputRecord, InvalidRecord>? {
        if place == .start {
            // The caller has looked that it begins with one.
            while let byte = try nextByte(), byte != UInt8(ascii: "[") {}
            place = .firstElement
        }
        if place == .afterLast { try checkEnd() }
        if place == .end { return nil }
        let (text, isLast) = try element()
        if isLast, text.isEmpty, place == .firstElement {
            try checkEnd()
            return nil
        }
        place = isLast ? .afterLast : .nextElement
        elementCount += 1
        if text.isEmpty {
            return .failure(
                InvalidRecord(line: elementCount, reason: "there is nothing between two commas"))
        }
        return JSONLinesReader.record(text, number: elementCount, fieldNames)
    }

    /// The bytes of the next element, without white space that says nothing, and whether it is the
    /// last.
    private mutating func element() throws -> (text: [UInt8], isLast: Bool) {
        var text: [UInt8] = []
        var depth = 0
        var isInString = false
        var isEscaped = false
        var isAfterSpace = false
        while let byte = try nextByte() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]") where depth == 0: return (text, true)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ",") where depth == 0: return (text, false)
                case 0x20, 0x09, 0x0a, 0x0d:
                    isAfterSpace = true
                    continue
                default: break
                }
            }
            // Between two words it keeps them two.
            if isAfterSpace, let last = text.last, Self.isOfWord(last), Self.isOfWord(byte) {
                text.append(0x20)
            }
            isAfterSpace = false
            text.append(byte)
            if text.count > LineReader.lineByteCountMax {
                throw CommandError(
                    ExitStatus.badData,
                    "element \(elementCount + 1) of \(lines.name) is longer than "
                        + "\(Figures.bytes(LineReader.lineByteCountMax)): no value of that size can "
                        + "be stored.")
            }
        }
        throw CommandError(
            ExitStatus.badData,
            "\(lines.name) ends within the array, in element \(elementCount + 1). It is cut off, or "
                + "a quote or bracket in that element is not closed.")
    }

    /// Refuses what follows the array: nothing of it would be imported.
    private mutating func checkEnd() throws {
        while let byte = try nextByte() {
            if Self.isSpace(byte) { continue }
            throw CommandError(
                ExitStatus.badData, "something follows the end of the array in \(lines.name).")
        }
        place = .end
    }

    private mutating func nextByte() throws -> UInt8? {
        if piece.isEmpty {
            guard let more = try lines.nextPiece() else { return nil }
            piece = more
        }
        return piece.removeFirst()
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    /// Whether a byte is of a number or of a word, and no sign between values.
    private static func isOfWord(_ byte: UInt8) -> Bool { !"{}[],:\"".utf8.contains(byte) }
}
