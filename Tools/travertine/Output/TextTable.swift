/// A table with aligned columns: the first to the left, the others to the right.
struct TextTable {
    private var rows: [[String]]

    init(_ header: [String]) { rows = [header] }

    /// Adds a row with as many cells as the header.
    mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines, indented by two spaces.
    var lines: [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return "  " + cells.joined(separator: "  ")
        }
    }
}
