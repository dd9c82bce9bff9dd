import TravertineDocuments

/// A table with aligned columns that fits a width; numbers are to the right.
///
/// The widths are those of the first rows. Later rows are printed as they come, and cut where they
/// are longer, so that a table of any length needs little memory.
struct ResultTable {
    private let names: [String]
    private let width: Int
    private var waiting: [[AnyBSON]] = []
    private var layout: [Column]?

    private struct Column {
        let width: Int
        let isNumber: Bool
    }

    /// The rows that decide about widths.
    static let sampleCount = 500
    private static let gap = 2
    /// A column of texts is not cut below this.
    private static let narrowest = 8

    /// - Parameters:
    ///   - names: those of the columns.
    ///   - width: the characters of a line.
    init(_ names: [String], width: Int) {
        self.names = names.map { ByteText.shown(Array($0.utf8), isHex: false) }
        self.width = width
    }

    /// Adds a row; gives the lines that can be printed by then.
    mutating func add(_ row: [AnyBSON]) -> [String] {
        if let layout { return [Self.line(row, layout)] }
        waiting.append(row)
        return waiting.count < Self.sampleCount ? [] : begin()
    }

    /// The lines that are left, and what was not shown.
    mutating func finish() -> [String] {
        if layout == nil, waiting.isEmpty { return ["(no objects)"] }
        var lines = layout == nil ? begin() : []
        if let layout, layout.count < names.count {
            let rest = names[layout.count...].joined(separator: ", ")
            lines.append("(not shown: \(rest); choose with --columns)")
        }
        return lines
    }

    /// Decides the widths; gives the header and the rows that waited.
    private mutating func begin() -> [String] {
        let layout = fittedLayout()
        self.layout = layout
        let header = zip(names, layout).map { Self.padded($0, $1) }
        let rule = layout.map { String(repeating: "─", count: $0.width) }
        let lines =
            [Style.output.bold(Self.joined(header)), Self.joined(rule)]
            + waiting.map { Self.line($0, layout) }
        waiting = []
        return lines
    }

    private func fittedLayout() -> [Column] {
        var columns = names.indices.map { index in
            let values = waiting.map { $0[index] }
            let widest = values.map { TextWidth.of(CellText.shown($0)) }.max() ?? 0
            return Column(
                width: max(1, widest, TextWidth.of(names[index])),
                isNumber: values.contains(where: CellText.isNumber)
                    && values.allSatisfy { $0 == .null || CellText.isNumber($0) })
        }
        // A number that is cut is another number.
        func cut(_ column: Column, _ widthMax: Int) -> Int {
            column.isNumber ? column.width : min(column.width, widthMax)
        }
        func total(_ widthMax: Int) -> Int {
            columns.reduce(Self.gap * max(0, columns.count - 1)) { $0 + cut($1, widthMax) }
        }
        while columns.count > 1, total(Self.narrowest) > width { columns.removeLast() }
        var widthMax = columns.map(\.width).max() ?? 0
        if total(widthMax) > width {
            // The widest columns give way first.
            widthMax = Self.narrowest
            while total(widthMax + 1) <= width { widthMax += 1 }
        }
        return columns.map {
            Column(width: min(cut($0, widthMax), max(1, width)), isNumber: $0.isNumber)
        }
    }

    private static func line(_ row: [AnyBSON], _ layout: [Column]) -> String {
        joined(zip(row, layout).map { padded(CellText.shown($0), $1) })
    }

    private static func joined(_ cells: [String]) -> String {
        var line = cells.joined(separator: String(repeating: " ", count: gap))
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func padded(_ text: String, _ column: Column) -> String {
        let cut = TextWidth.cut(text, to: column.width)
        let padding = String(repeating: " ", count: column.width - TextWidth.of(cut))
        return column.isNumber ? padding + cut : cut + padding
    }
}
