import Foundation
import Travertine

/// Writes values for the cells of a table.
///
/// Null and bools are themselves; numbers, dates and identifiers are texts as they are shown. What
/// needs more than a text is an object with the member `k`, the kind of the value.
struct CellEncoder {
    /// Gives objects their addresses.
    let references: ReferenceTable

    /// A value in a cell.
    /// - Parameter isMixed: whether the property takes values of any type, whose kind is shown.
    func cell(_ value: Any?, isMixed: Bool = false) -> JSON {
        let stored = StoredValue(value)
        let plain = cell(stored)
        guard isMixed, case .string(let text) = plain else { return plain }
        return .object([("k", .string(stored.kind)), ("v", .string(text))])
    }

    private func cell(_ value: StoredValue) -> JSON {
        switch value {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .string(String(number))
        case .decimal(let text), .identifier(let text): return .string(text)
        case .string(let text), .unknown(let text): return .string(ValueText.cut(text))
        case .date(let date): return .string(ValueText.of(date))
        case .data(let data):
            return .object([
                ("k", "data"), ("n", .number(data.count)),
                ("v", .string(ValueText.hex(data.prefix(8)))),
            ])
        case .object(let object): return link(object)
        case .elements(let elements):
            let shown = elements.values(from: 0, count: ValueText.cellElementCount)
            return collection("list", elements.count, shown.map(ValueText.short))
        case .entries(let entries):
            let shown = entries.entries(from: 0, count: ValueText.cellElementCount)
            return collection(
                "map", entries.count,
                shown.map { "\(ValueText.cut($0.key, to: 40)): \(ValueText.short($0.value))" })
        }
    }

    private func collection(_ kind: String, _ count: Int, _ shown: [String]) -> JSON {
        let rest = count > shown.count ? ", …" : ""
        return .object([
            ("k", .string(kind)), ("n", .number(count)),
            ("v", .string(shown.joined(separator: ", ") + rest)),
        ])
    }

    /// A link: where it leads, and what is there.
    func link(_ object: DynamicObject) -> JSON {
        let schema = object.objectSchema
        return .object([
            ("k", schema.isEmbedded ? "embedded" : "link"),
            ("t", .string(schema.objectTypeName)), ("id", .string(references.address(of: object))),
            ("v", .string(ObjectLabel.text(object))),
        ])
    }
}
