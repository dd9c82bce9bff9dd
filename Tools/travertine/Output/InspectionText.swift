import StoreMaintenance
import TravertineStore

/// A file of a store as text: for each structure its fields, and its bytes in hexadecimal.
struct InspectionText {
    private let inspection: FileInspection
    private let showsHex: Bool

    init(_ inspection: FileInspection, showsHex: Bool) {
        self.inspection = inspection
        self.showsHex = showsHex
    }

    /// The text, line by line.
    var lines: [String] {
        let kind =
            switch inspection.kind {
            case .segment: "a segment"
            case .pageFile: "a page file"
            case .manifest: "a manifest"
            case .keyHashes: "the key hashes of a segment"
            case .backup: "the list of a backup's files"
            case .other: "no file of a store"
            }
        var lines = ["\(inspection.path): \(kind), \(Figures.count(inspection.byteCount)) bytes"]
        for part in inspection.parts { lines += text(of: part) }
        if inspection.omittedPartCount > 0 {
            lines.append(
                "… and \(Figures.count(inspection.omittedPartCount)) more: --limit shows them")
        }
        return lines
    }

    private func text(of part: FileInspection.Part) -> [String] {
        let problem = part.problem.map { "  DAMAGED: \($0)" } ?? ""
        var lines = [
            "\(Self.padded("\(part.offset)", 10))  \(part.title), "
                + "\(Figures.count(part.byteCount)) bytes\(problem)"
        ]
        if part.fields.isEmpty, part.bytes.isEmpty { return lines }
        let width = part.fields.map(\.name.count).max() ?? 0
        for field in part.fields {
            let space = String(repeating: " ", count: width - field.name.count)
            lines.append(
                "\(Self.padded("\(field.offset)", 10))    \(field.name)\(space)  \(field.value)")
        }
        if showsHex { lines += Self.dump(part.bytes, at: part.offset) }
        lines.append("")
        return lines
    }

    /// Sixteen bytes to a line: offset, hexadecimal digits, text.
    private static func dump(_ bytes: [UInt8], at start: Int) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).map { place in
            let row = bytes[place..<min(place + 16, bytes.count)]
            let digits = row.enumerated().map { index, byte in
                ByteText.hex([byte]) + (index == 7 ? " " : "")
            }.joined(separator: " ")
            let text = String(
                decoding: row.map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: ".") },
                as: UTF8.self)
            let space = String(repeating: " ", count: max(0, 48 - digits.count))
            return "\(padded("\(start + place)", 10))    \(digits)\(space)  \(text)"
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
