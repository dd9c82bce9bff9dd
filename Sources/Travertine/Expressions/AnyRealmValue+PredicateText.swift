#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Constants as predicate text.
extension AnyRealmValue {
    /// The value as a predicate text has it; an object as `obj("Type", key)`, which is not parsed.
    var predicateText: String { predicateText(depth: 1) }

    private func predicateText(depth: Int) -> String {
        switch self {
        case .none: "NULL"
        case .int(let value): "\(value)"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .float(let value): "float(\(value))"
        case .double(let value): value.predicateText
        case .string(let value): PredicateWords.quoted(value)
        case .data(let value): "B64\"\(value.base64EncodedString())\""
        case .date(let value):
            value.timestampText ?? "date(\(value.timeIntervalSinceReferenceDate))"
        case .object(let object): Self.text(of: object)
        case .objectId(let value): "oid(\(value))"
        case .decimal128(let value): "decimal(\(value))"
        case .uuid(let value): "uuid(\(value.uuidString.lowercased()))"
        case .list(let values):
            Self.text(depth) {
                "{\(values.map { $0.predicateText(depth: depth + 1) }.joined(separator: ", "))}"
            }
        case .dictionary(let values):
            Self.text(depth) {
                let entries = values.asKeyValueSequence().map { key, value in
                    "\(PredicateWords.quoted(key)): \(value.predicateText(depth: depth + 1))"
                }
                return "{\(entries.isEmpty ? ":" : entries.joined(separator: ", "))}"
            }
        }
    }

    /// The text of a collection, unless it is deeper than any that can be stored: unmanaged ones
    /// may hold themselves.
    private static func text(_ depth: Int, _ body: () -> String) -> String {
        depth > MixedCode.depthMax ? "{…}" : body()
    }

    private static func text(of object: Object) -> String {
        guard object.session != nil, !object.isInvalidated else {
            return "obj(\(PredicateWords.quoted(object.info.className)))"
        }
        let key =
            object.objectSchema.primaryKeyProperty
            .flatMap { object[$0.name] }.flatMap { AnyRealmValue(any: $0) }?.predicateText
            ?? "\(object.key)"
        return "obj(\(PredicateWords.quoted(object.table.className)), \(key))"
    }
}

extension Double {
    /// The number as a predicate text has it, always with a point or an exponent.
    var predicateText: String {
        if isNaN { return "nan" }
        if isInfinite { return self < 0 ? "-infinity" : "infinity" }
        return "\(self)"
    }
}
