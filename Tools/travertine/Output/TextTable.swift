/// A table with aligned columns: the first to the left, the others to the right.
struct TextTable {
    private var rows: [[String]]
    private let leftColumns: Set<Int>

    /// - Parameters:
    ///   - header: the names of the columns.
    ///   - leftColumns: the columns that are aligned to the left.
    init(_ header: [String], leftColumns: Set<Int> = [0]) {
        rows = [header]
        self.leftColumns = leftColumns
    }

    /// Adds a row with as many cells as the header.
    mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines, indented by two spaces.
    var lines: [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { TextWidth.of($0[column]) }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(
                    repeating: " ", count: widths[column] - TextWidth.of(cell))
                return leftColumns.contains(column) ? cell + padding : padding + cell
            }
            var line = "  " + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
