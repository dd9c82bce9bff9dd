import Travertine

/// Values of any type, and DBRefs.
extension ExportPlan {
    /// The plan of an embedded type that a value names.
    private func plan(of target: RowType) throws -> ExportPlan {
        if let known = derived[target.name] { return known }
        let plan = try ExportPlan(target, baseSchemas[target.name], realm, waitingLinks)
        derived[target.name] = plan
        return plan
    }

    /// Writes a value of any type, or a link of a base class: an object of that class itself is its
    /// key, one of a derived class a DBRef, an embedded one its document.
    func write<Output: DocumentOutput>(
        _ mixed: StoredMixed, _ slot: Int? = nil, to output: inout Output, _ name: OutputName
    ) throws {
        let base = slot.flatMap { bases[$0] }
        switch mixed {
        case .none: try output.null(name)
        case .value(let type, let raw):
            try Self.write(raw, type, isNarrow: false, to: &output, name)
        case .object(let target, let key):
            if target.isEmbedded {
                let plan = try plan(of: target)
                guard !target.hasClassField else {
                    throw DocumentError.notEncodable(
                        reason: "a \(target.name) has a property \"\(RowType.classField)\", by "
                            + "which documents tell the class of an embedded object",
                        path: "")
                }
                let found: Void? = try target.withRow(ofKey: key) { row in
                    try plan.write(row, to: &output, name, namesClass: base?.name != target.name)
                }
                if found == nil { try output.null(name) }
                return
            }
            if let slot, base?.name == target.name, target.keySlot != nil {
                return try Self.writeKey(
                    of: target, key, isNarrow: isNarrow[slot], to: &output, name)
            }
            guard target.keySlot != nil else {
                throw DocumentError.notEncodable(
                    reason: "a mixed value links to a \(target.name), which has no primary key",
                    path: "")
            }
            try writeReference(to: target, &output, name) { output, idName in
                try Self.writeKey(
                    of: target, key, isNarrow: hasNarrowKey(target.name), to: &output, idName)
            }
        case .elements(let elements):
            if try writeReference(elements, to: &output, name) { return }
            let start = try output.begin(isArray: !elements.isMap, name)
            var position = 0
            try elements.visit { key, raw in
                var value = StoredMixed.none
                if case .bytes(let bytes) = raw { value = elements.mixed(bytes) }
                try write(
                    value, to: &output, elements.isMap ? .key(key) : .position(position))
                position += 1
            }
            try output.end(start, isArray: !elements.isMap)
        }
    }

    static let className = FieldName(RowType.classField)
    private static let referenceName = FieldName("$ref")
    private static let idName = FieldName("$id")

    /// Writes a dictionary that stands for a link without target in the order of a DBRef.
    private func writeReference<Output: DocumentOutput>(
        _ elements: StoredElements, to output: inout Output, _ name: OutputName
    ) throws -> Bool {
        guard elements.isMap else { return false }
        var found: [(key: [UInt8], value: [UInt8])] = []
        var isReference = true
        try elements.visit { key, raw in
            guard isReference, key.first == UInt8(ascii: "$"), found.count < 3,
                case .bytes(let bytes) = raw
            else {
                isReference = false
                return
            }
            found.append((Array(key), Array(bytes)))
        }
        let order = ["$ref", "$id", "$db"].map { Array($0.utf8) }
        guard isReference, found.count >= 2,
            order.prefix(2).allSatisfy({ name in found.contains { $0.key == name } }),
            found.allSatisfy({ order.contains($0.key) })
        else { return false }
        var target = ""
        let start = try output.begin(isArray: false, name)
        for key in order {
            guard let value = found.first(where: { $0.key == key })?.value else { continue }
            try value.withUnsafeBytes { bytes in
                try key.withUnsafeBytes { name in
                    let value = elements.mixed(bytes)
                    switch value {
                    case .value(.string, .bytes(let text)) where key == order[0]:
                        target = String(decoding: text, as: UTF8.self)
                    case .value(.int, .word(let id)) where key == order[1]:
                        return try output.int(id, isNarrow: hasNarrowKey(target), .key(name))
                    default: break
                    }
                    try write(value, to: &output, .key(name))
                }
            }
        }
        try output.end(start, isArray: false)
        return true
    }

    // MARK: DBRefs

    /// Writes a DBRef, of which `id` writes the key.
    func writeReference<Output: DocumentOutput>(
        to target: RowType, _ output: inout Output, _ name: OutputName,
        id: (inout Output, OutputName) throws -> Void
    ) throws {
        let start = try output.begin(isArray: false, name)
        try Array(target.name.utf8).withUnsafeBytes {
            try output.text($0, .field(Self.referenceName))
        }
        try id(&output, .field(Self.idName))
        try output.end(start, isArray: false)
    }

    /// Whether the keys of a type are integers that its class declares with at most 32 bits.
    func hasNarrowKey(_ name: String) -> Bool {
        if let known = narrowKeys[name] { return known }
        let type = realm.schema.objectSchema.first { $0.objectTypeName == name }
        let isNarrow =
            type.flatMap { type in type.primaryKeyProperty.map { type.scalar(of: $0) == .int } }
            ?? false
        narrowKeys[name] = isNarrow
        return isNarrow
    }
}
