import TravertineStore

/// Looks at the rows of a type whose links become required.
extension DerivedBuilder {
    /// How many objects have nothing in each of the links, by the properties' numbers.
    mutating func missingLinks(_ properties: Set<UInt32>) throws -> [UInt32: Int] {
        let slots = type.properties.map { TableSlot($0) }
        var missing: [UInt32: Int] = [:]
        var last: [UInt8]?
        while let (key, row) = try nextRow(after: last) {
            last = key
            try row.withUnsafeBytes { row in
                let values = try values(of: row, slots)
                for (slot, property) in type.properties.enumerated()
                where properties.contains(property.number) {
                    switch values.value(at: slot) {
                    case .word: continue
                    case .bytes(let bytes) where !bytes.isEmpty: continue
                    default: missing[property.number, default: 0] += 1
                    }
                }
            }
        }
        return missing
    }
}

extension SchemaInstaller {
    /// Throws when links became required that stored objects lack, which no commit would notice.
    ///
    /// - Throws: `Realm.Error` with `.schemaMismatch`, whose message says how many objects lack
    ///   each link.
    func checkRequiredLinks(
        since before: [StoredObjectType], _ transaction: WriteTransaction
    ) throws {
        var problems: [String] = []
        for type in stored.types {
            guard let old = before.first(where: { $0.number == type.number }) else { continue }
            let known = Set(old.properties.filter(\.isRequired).map(\.number))
            let required = type.properties.filter { $0.isRequired && !known.contains($0.number) }
            if required.isEmpty { continue }
            var builder = DerivedBuilder(
                transaction: transaction, type: type, schemaKeyspace: keyspace)
            let missing = try builder.missingLinks(Set(required.map(\.number)))
            for property in required {
                guard let count = missing[property.number] else { continue }
                problems.append(
                    "Property '\(type.name).\(property.name)' has been made required, and "
                        + "\(count) \(count == 1 ? "object has" : "objects have") no such link. "
                        + "Set it in every object, or delete these, while it is not required.")
            }
        }
        guard problems.isEmpty else { throw mismatch(problems) }
    }
}
