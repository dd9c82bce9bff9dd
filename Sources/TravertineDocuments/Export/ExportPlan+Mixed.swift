import Travertine

/// Values of any type, and DBRefs.
extension ExportPlan {
    /// The plan of an embedded type that a value names.
    private func plan(of target: RowType) throws -> ExportPlan {
        if let known = derived[target.name] { return known }
        let plan = try ExportPlan(
            target, baseSchemas[target.name], realm, waitingLinks, references,
            writesObjectKeys: writesObjectKeys)
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
                            + "which documents name the class of an embedded object",
                        path: "")
                }
                let found: Void? = try target.withRow(ofKey: key) { row in
                    try plan.write(row, to: &output, name, namesClass: base?.name != target.name)
                }
                if found == nil { try output.null(name) }
                return
            }
            if let slot, base?.name == target.name,
                target.keySlot != nil || writesObjectKeys
            {
                return try Self.writeKey(
                    of: target, key, isNarrow: isNarrow[slot], to: &output, name)
            }
            guard target.keySlot != nil || writesObjectKeys else {
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

    /// Writes a dictionary with "$ref" and "$id" in the order of a DBRef: one that represents a
    /// link without target, or that holds more than a link does.
    private func writeReference<Output: DocumentOutput>(
        _ elements: StoredElements, to output: inout Output, _ name: OutputName
    ) throws -> Bool {
        guard elements.isMap else { return false }
        var rest: [(key: [UInt8], value: [UInt8])] = []
        var isReference = true
        try elements.visit { key, raw in
            // "$" comes first, so that most dictionaries are decided at once.
            if rest.isEmpty, key.first != UInt8(ascii: "$") { isReference = false }
            if !isReference { return }
            if case .bytes(let bytes) = raw {
                rest.append((Array(key), Array(bytes)))
            } else {
                rest.append((Array(key), []))
            }
        }
        guard isReference else { return false }
        var first: [(key: [UInt8], value: [UInt8])] = []
        for name in ["$ref", "$id", "$db"] {
            guard let index = rest.firstIndex(where: { $0.key.elementsEqual(name.utf8) }) else {
                if name == "$db" { continue }
                return false
            }
            first.append(rest.remove(at: index))
        }
        let target = link(first + rest, elements)
        let start = try output.begin(isArray: false, name)
        for (position, element) in (first + rest).enumerated() {
            try element.value.withUnsafeBytes { bytes in
                try element.key.withUnsafeBytes { name in
                    let value = elements.mixed(bytes)
                    if let target, position == 0 {
                        return try Array(target.name.utf8).withUnsafeBytes {
                            try output.text($0, .key(name))
                        }
                    }
                    if let target, position == 1, case .value(.int, .word(let id)) = value {
                        return try output.int(
                            id, isNarrow: hasNarrowKey(target.type), .key(name))
                    }
                    try write(value, to: &output, .key(name))
                }
            }
        }
        try output.end(start, isArray: false)
        return true
    }

    /// The type that a dictionary would link to if its target were there, and the name for it.
    private func link(
        _ members: [(key: [UInt8], value: [UInt8])], _ elements: StoredElements
    ) -> (type: String, name: String)? {
        guard members.count == 2 else { return nil }
        let name = members[0].value.withUnsafeBytes { bytes in
            if case .value(.string, .bytes(let text)) = elements.mixed(bytes) {
                String(decoding: text, as: UTF8.self)
            } else {
                String?.none
            }
        }
        let keyType = members[1].value.withUnsafeBytes { bytes in
            if case .value(let type, _) = elements.mixed(bytes) { type } else { PropertyType?.none }
        }
        guard let name, let target = realm.rowType(name), let keySlot = target.keySlot,
            target.fields[keySlot].type == keyType, let own = references.name(of: target.name)
        else { return nil }
        return (target.name, own)
    }

    // MARK: DBRefs

    /// Writes a DBRef, of which `id` writes the key.
    func writeReference<Output: DocumentOutput>(
        to target: RowType, _ output: inout Output, _ name: OutputName,
        id: (inout Output, OutputName) throws -> Void
    ) throws {
        guard let own = references.name(of: target.name) else {
            throw DocumentError.notEncodable(
                reason: "a link to a \(target.name) has no name: the data source has a collection "
                    + "of this name for another type",
                path: "")
        }
        let start = try output.begin(isArray: false, name)
        try Array(own.utf8).withUnsafeBytes {
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
