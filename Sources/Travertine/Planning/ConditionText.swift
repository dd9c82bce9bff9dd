#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Conditions as a plan prints them: like predicate text, with stored values.
struct ConditionText {
    /// The most elements of a list that are printed.
    private static let elementCountMax = 4
    /// The most characters of a text that are printed.
    private static let characterCountMax = 40

    static func text(_ condition: Condition, in table: TableState) -> String {
        switch condition {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let operand): return "NOT (\(text(operand, in: table)))"
        case .and(let parts):
            return parts.map { grouped($0, in: table) }.joined(separator: " AND ")
        case .or(let parts):
            return parts.map { grouped($0, in: table) }.joined(separator: " OR ")
        case .comparison(let reader, let operation, let constant):
            let (name, type) = named(reader, table)
            return "\(name) \(operation.text) \(text(constant, type))"
        case .isIn(let reader, let constants):
            let (name, type) = named(reader, table)
            return "\(name) IN \(list(constants, type))"
        case .isBetween(let reader, let least, let greatest):
            let (name, type) = named(reader, table)
            return "\(name) BETWEEN {\(text(least, type)), \(text(greatest, type))}"
        case .text(let reader, let operation, let text, let options):
            let names =
                (options.contains(.caseInsensitive) ? "c" : "")
                + (options.contains(.diacriticInsensitive) ? "d" : "")
            let option = names.isEmpty ? "" : "[\(names)]"
            return "\(named(reader, table).name) \(operation.text)\(option) \(quoted(text))"
        case .words(let reader, let text):
            return "\(named(reader, table).name) TEXT \(quoted(text.description))"
        case .isWithin(let reader, _): return "\(named(reader, table).name) geoWithin"
        case .other: return "another condition"
        }
    }

    private static func grouped(_ condition: Condition, in table: TableState) -> String {
        switch condition {
        case .and, .or: "(\(text(condition, in: table)))"
        default: text(condition, in: table)
        }
    }

    /// What values of a property are looked for in an index.
    static func text(_ values: AllowedValues, _ name: String, _ type: PropertyType) -> String {
        if values.areValues {
            let constants = values.items.compactMap { item in
                if case .value(let constant) = item { constant } else { nil }
            }
            return constants.count == 1
                ? "\(name) == \(text(constants[0], type))" : "\(name) IN \(list(constants, type))"
        }
        return values.items.map { text($0, name, type) }.joined(separator: " OR ")
    }

    private static func text(
        _ item: AllowedValues.Item, _ name: String, _ type: PropertyType
    ) -> String {
        switch item {
        case .value(let constant): return "\(name) == \(text(constant, type))"
        case .notNull: return "\(name) != nil"
        case .beginning(let bytes):
            return "\(name) BEGINSWITH \(quoted(String(decoding: bytes, as: UTF8.self)))"
        case .type(let type): return "\(name) is any \(type)"
        case .range(let lower, let upper), .typedRange(_, let lower, let upper):
            let bounds = [
                lower.map { "\(name) \($0.isIncluded ? ">=" : ">") \(text($0.constant, type))" },
                upper.map { "\(name) \($0.isIncluded ? "<=" : "<") \(text($0.constant, type))" },
            ]
            return bounds.compactMap { $0 }.joined(separator: " AND ")
        }
    }

    // MARK: Names

    /// The public name of a property.
    static func name(_ slot: Int, in table: TableState) -> String {
        if let info = table.classInfo, slot < info.properties.count {
            return info.properties[slot].name
        }
        return table.properties.indices.contains(slot) ? table.properties[slot].name : "?"
    }

    private static func named(
        _ reader: PropertyReader, _ table: TableState
    ) -> (name: String, type: PropertyType) {
        if let slot = reader.directSlot, table.properties.indices.contains(slot) {
            return (name(slot, in: table), table.properties[slot].type)
        }
        guard let path = reader.linkPath else { return ("a path", reader.type.type) }
        let names = path.hops.map { name($0.slot, in: $0.table) }
        return (
            (names + [name(path.slot, in: path.target)]).joined(separator: "."), reader.type.type
        )
    }

    // MARK: Values

    private static func list(_ constants: [RawConstant], _ type: PropertyType) -> String {
        let shown = constants.prefix(elementCountMax).map { text($0, type) }
        let rest = constants.count - shown.count
        return "{\((shown + (rest > 0 ? ["… \(rest) more"] : [])).joined(separator: ", "))}"
    }

    static func text(_ constant: RawConstant, _ type: PropertyType) -> String {
        switch constant {
        case .null: "nil"
        case .word where type == .object: "an object"
        case .word(let word): text(word, type)
        case .bytes(let bytes): bytes.withUnsafeBytes { text($0, type) }
        }
    }

    private static func text(_ word: Int64, _ type: PropertyType) -> String {
        switch type {
        case .bool: word == 0 ? "false" : "true"
        case .double: "\(Double(bitPattern: UInt64(bitPattern: word)))"
        case .float: "\(Float(bitPattern: UInt32(truncatingIfNeeded: word)))"
        case .date: "T\(Double(bitPattern: UInt64(bitPattern: word)))"
        default: "\(word)"
        }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ type: PropertyType) -> String {
        switch type {
        case .string: return quoted(String(decoding: bytes, as: UTF8.self))
        case .decimal128 where bytes.count == 16: return "\(Decimal128(stored: bytes))"
        case .any:
            if bytes.isEmpty { return "nil" }
            guard let value = AnyRealmValue(mixed: bytes) else { return "an object" }
            switch value {
            case .string(let text): return quoted(text)
            case .int(let number): return "\(number)"
            case .double(let number): return "\(number)"
            case .float(let number): return "\(number)"
            case .bool(let value): return "\(value)"
            case .decimal128(let number): return "\(number)"
            default:
                return "\(PropertyType(rawValue: Int(bytes[0]) - 1)?.description ?? "a") value"
            }
        default:
            let digits = bytes.prefix(characterCountMax / 2).map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }
            return "0x\(digits.joined())\(digits.count < bytes.count ? "…" : "")"
        }
    }

    private static func quoted(_ text: String) -> String {
        let shown = text.prefix(characterCountMax)
        let escaped = shown.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n").replacing("\0", with: "\\0")
        return "\"\(escaped)\(shown.count < text.count ? "…" : "")\""
    }
}
