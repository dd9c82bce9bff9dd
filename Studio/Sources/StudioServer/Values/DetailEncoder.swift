import Foundation
import Travertine

/// Writes values with all that the page shows of one object.
struct DetailEncoder {
    /// Bytes of a text that are sent.
    static let textByteCount = 64 << 10
    /// Bytes of data that are sent as hexadecimal digits.
    static let dataByteCount = 2 << 10
    /// Elements of a collection that are sent at first, and for each further request.
    static let elementCount = 50
    /// How deep embedded objects and collections are unfolded.
    static let depth = 5
    /// Bytes of one answer, about, after which nothing more is unfolded and texts are as in cells.
    static let answerByteCount = 4 << 20

    let cells: CellEncoder
    private let budget = Budget()

    /// What one answer may have still.
    private final class Budget {
        var byteCount = DetailEncoder.answerByteCount

        var isSpent: Bool { byteCount <= 0 }

        /// What a value takes beside its text.
        func spend(_ count: Int) { byteCount -= count + 64 }
    }

    init(cells: CellEncoder) { self.cells = cells }

    /// The properties of an object with their values, in declared order.
    func fields(_ object: DynamicObject, depth: Int = depth) -> JSON {
        .array(
            object.objectSchema.properties.map { property in
                .object([
                    ("name", .string(property.columnName)),
                    ("type", .string(PropertyText.type(property))),
                    ("isKey", .bool(property.isPrimaryKey)),
                    (
                        "isEditable",
                        .bool(!property.isPrimaryKey && property.type != .linkingObjects)
                    ),
                    ("isOptional", .bool(property.isOptional)),
                    ("base", .string(property.type.description)),
                    ("collection", .optional(PropertyText.collection(property))),
                    ("target", .optional(property.objectClassName)),
                    ("value", value(object[property.name], depth: depth)),
                ])
            })
    }

    /// A value with its kind.
    func value(_ value: Any?, depth: Int) -> JSON {
        let stored = StoredValue(value)
        budget.spend(0)
        var members: [(String, JSON)] = [("k", .string(stored.kind))]
        if let mixed = value as? AnyRealmValue, let kind = ValueParser.kind(mixed) {
            members.append(("as", .string(kind)))
        }
        switch stored {
        case .null: break
        case .bool(let flag): members.append(("v", .bool(flag)))
        case .int(let number): members.append(("v", .string(String(number))))
        case .decimal(let text), .identifier(let text): members.append(("v", .string(text)))
        case .date(let date): members.append(("v", .string(ValueText.of(date))))
        case .string(let text), .unknown(let text):
            let shown = ValueText.beginning(
                of: text, byteCount: budget.isSpent ? ValueText.cellLength : Self.textByteCount)
            budget.spend(shown.utf8.count)
            members.append(("v", .string(String(shown))))
            if shown.endIndex < text.endIndex {
                members.append(("n", .number(text.utf8.count)))
            }
        case .data(let data):
            let shown = data.prefix(budget.isSpent ? 8 : Self.dataByteCount)
            budget.spend(2 * shown.count)
            members.append(("n", .number(data.count)))
            members.append(("v", .string(ValueText.hex(shown))))
            if let format = ImageFormat(data) {
                members.append(("image", .string(format.rawValue)))
            }
        case .object(let object): return self.object(object, depth: depth)
        case .elements(let elements):
            members.append(("n", .number(elements.count)))
            if depth > 0, !budget.isSpent {
                members.append(("items", items(elements, from: 0, depth: depth - 1)))
            }
        case .entries(let entries):
            members.append(("n", .number(entries.count)))
            if depth > 0, !budget.isSpent {
                members.append(("items", items(entries, from: 0, depth: depth - 1)))
            }
        }
        return .object(members)
    }

    /// A link, or an embedded object with its properties.
    private func object(_ object: DynamicObject, depth: Int) -> JSON {
        guard case .object(var members) = cells.link(object) else { return .null }
        if let point = ObjectLabel.point(object) {
            members.append(
                ("point", .array([.double(point.longitude), .double(point.latitude)])))
        }
        if object.objectSchema.isEmbedded, depth > 0, !budget.isSpent {
            members.append(("fields", fields(object, depth: depth - 1)))
        }
        return .object(members)
    }

    /// Some elements of a list or set.
    func items(_ elements: any RealmCollection, from start: Int, depth: Int) -> JSON {
        .array(
            elements.values(from: start, count: Self.elementCount).map {
                value($0, depth: depth)
            })
    }

    /// Some entries of a map, each with its key.
    func items(_ entries: any RealmKeyedCollection, from start: Int, depth: Int) -> JSON {
        .array(
            entries.entries(from: start, count: Self.elementCount).map { entry in
                budget.spend(entry.key.utf8.count)
                return .object([
                    ("key", .string(entry.key)), ("value", value(entry.value, depth: depth)),
                ])
            })
    }
}
