extension CSVReader {
    /// A row of cells, or why it is none, with the line it begins on. A cell in which nothing is
    /// written is nil; an empty text has quotes.
    struct Row {
        let line: Int
        let content: Result<[[UInt8]?], RowError>
    }

    /// Why a row can't be used.
    struct RowError: Error {
        let text: String
    }

    /// The cell that is being read, and where in the grammar reading is.
    private enum Place {
        case cellStart
        case inPlainCell
        case inQuotes
        case behindQuote
    }

    /// The next row, or nil at the end of the file. A row goes on over the line end while a quote
    /// is open.
    static func readRow(_ lines: inout LineReader, _ delimiter: UInt8) throws -> Row? {
        guard var line = try lines.next() else { return nil }
        let start = lines.lineNumber
        var cells: [[UInt8]?] = []
        var cell: [UInt8] = []
        var place = Place.cellStart
        while true {
            if let problem = read(line, delimiter, &cells, &cell, &place) {
                return Row(line: start, content: .failure(RowError(text: problem)))
            }
            guard place == .inQuotes else { break }
            guard let more = try lines.next() else {
                return Row(
                    line: start,
                    content: .failure(
                        RowError(text: "a quoted field is still open at the end of the file")))
            }
            cell.append(UInt8(ascii: "\n"))
            line = more
        }
        cells.append(place == .cellStart ? nil : cell)
        return Row(line: start, content: .success(cells))
    }

    /// Reads one line into cells; gives what is wrong with it, if something is.
    private static func read(
        _ line: ArraySlice<UInt8>, _ delimiter: UInt8, _ cells: inout [[UInt8]?],
        _ cell: inout [UInt8], _ place: inout Place
    ) -> String? {
        let quote = UInt8(ascii: "\"")
        for (position, byte) in zip(line.indices, line) {
            let isLineEnd = byte == UInt8(ascii: "\r") && position == line.endIndex - 1
            switch place {
            case .inQuotes:
                if byte == quote { place = .behindQuote } else { cell.append(byte) }
            case .behindQuote where byte == quote:
                cell.append(quote)
                place = .inQuotes
            case _ where isLineEnd: break
            case _ where byte == delimiter:
                cells.append(place == .cellStart ? nil : cell)
                cell.removeAll()
                place = .cellStart
            case .behindQuote:
                return "field \(cells.count + 1): something follows the closing quote"
            case .cellStart where byte == quote: place = .inQuotes
            case .inPlainCell where byte == quote:
                return "field \(cells.count + 1): a quote within a field that does not begin with "
                    + "one; put the field in quotes and double the quote"
            case .cellStart, .inPlainCell:
                cell.append(byte)
                place = .inPlainCell
            }
        }
        return nil
    }
}
