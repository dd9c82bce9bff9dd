import Travertine
import TravertineDocuments

/// Compares the objects of two stores, type by type.
///
/// Objects are the same by their primary keys; those without one by the numbers of their object
/// keys, which copies of a store have in common. Properties that only one store has are reported
/// once, and not for each object.
struct StoreComparison {
    /// What differs in a type.
    struct OfType: Encodable {
        let type: String
        var inserted = 0
        var deleted = 0
        var modified = 0
        /// By property, how many objects have different values.
        var properties: [String: Int] = [:]
        /// Differences of the types themselves.
        var schema: [String] = []

        var isEmpty: Bool { inserted + deleted + modified == 0 && schema.isEmpty }

        fileprivate mutating func count(_ difference: ObjectDifference) {
            switch difference.kind {
            case .inserted: inserted += 1
            case .deleted: deleted += 1
            case .modified: modified += 1
            }
            for value in difference.values { properties[value.name, default: 0] += 1 }
        }
    }

    let first: Realm
    let second: Realm

    /// The names of the types that are compared: those of both stores that are on their own.
    func typeNames() -> [String] {
        Set([first, second].flatMap { Self.names($0) }).sorted()
    }

    private static func names(_ realm: Realm) -> [String] {
        realm.schema.objectSchema.filter { !$0.isEmbedded && !$0.isAsymmetric }
            .map(\.objectTypeName)
    }

    /// Compares the objects of a type.
    ///
    /// - Parameters:
    ///   - step: called with each object that was looked at.
    ///   - report: called with each difference.
    func compare(
        _ type: String, step: () -> Void, report: (ObjectDifference) throws -> Void
    ) throws -> OfType {
        var found = OfType(type: type)
        let sides = [first, second].map { Self.names($0).contains(type) }
        guard sides == [true, true] else {
            let objects = try ObjectsOfType(type, in: sides[0] ? first : second)
            let count = try objects.exporter.objectCount
            found.schema = [
                "the type, with \(Figures.count(count, "object")), is only in the "
                    + (sides[0] ? "first" : "second")
            ]
            return found
        }
        let old = try ObjectsOfType(type, in: first)
        let new = try ObjectsOfType(type, in: second)
        found.schema = Self.schemaDifferences(old.schema, new.schema)
        guard old.exporter.primaryKeyName == new.exporter.primaryKeyName else { return found }
        var matchedCount = 0
        func take(_ difference: ObjectDifference?) throws {
            guard let difference else { return }
            found.count(difference)
            try report(difference)
        }
        try old.exporter.forEachObject { objectKey, document in
            step()
            let key = old.exporter.identity(of: document, objectKey)
            let other = try new.counterpart(of: key, objectKey)
            if other != nil { matchedCount += 1 }
            try take(ObjectDifference(type: type, key: key, old: document, new: other))
        }
        // If each object of the second has its counterpart, none of them is new.
        guard try matchedCount < new.exporter.objectCount else { return found }
        try new.exporter.forEachObject { objectKey, document in
            step()
            let key = new.exporter.identity(of: document, objectKey)
            guard try !old.hasCounterpart(of: key, objectKey) else { return }
            try take(ObjectDifference(type: type, key: key, old: nil, new: document))
        }
        return found
    }

    private static func schemaDifferences(_ old: ObjectSchema, _ new: ObjectSchema) -> [String] {
        func names(_ schema: ObjectSchema, _ other: ObjectSchema, _ side: String) -> [String] {
            schema.properties.map(\.columnName)
                .filter { name in !other.properties.contains { $0.columnName == name } }
                .map { "the property “\($0)” is only in the \(side)" }
        }
        var found = names(old, new, "first") + names(new, old, "second")
        let keys = (old.primaryKeyProperty?.columnName, new.primaryKeyProperty?.columnName)
        if keys.0 != keys.1 {
            found.append(
                "the primary key is \(keys.0 ?? "none") in the first and \(keys.1 ?? "none") in the "
                    + "second, so that objects can't be compared")
        }
        return found
    }
}

extension ObjectsOfType {
    /// The object that is the same as one of another store.
    fileprivate func counterpart(of key: AnyBSON, _ objectKey: UInt64) throws -> Document? {
        guard schema.primaryKeyProperty != nil else {
            return try exporter.document(forObjectKey: objectKey)
        }
        return try exporter.objectKey(forPrimaryKey: key).flatMap {
            try exporter.document(forObjectKey: $0)
        }
    }

    fileprivate func hasCounterpart(of key: AnyBSON, _ objectKey: UInt64) throws -> Bool {
        guard schema.primaryKeyProperty != nil else {
            return exporter.object(forObjectKey: objectKey) != nil
        }
        return try exporter.objectKey(forPrimaryKey: key) != nil
    }
}
