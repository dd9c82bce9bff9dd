import Travertine
import TravertineDocuments

/// Carries out statements of `edit`, in a write transaction that is open.
struct ObjectEdit {
    let realm: Realm
    /// Gets each difference that a statement makes.
    let report: (ObjectDifference) throws -> Void

    func run(_ statement: EditStatement) throws {
        switch statement {
        case .add(let type, let fields): try add(fields, to: objects(type))
        case .set(let type, let key, let fields): try set(fields, of: key, in: objects(type))
        case .delete(let type, let key):
            let objects = try objects(type)
            try delete([objects.found(key).objectKey], of: objects)
        case .deleteWhere(let type, let condition): try delete(condition, of: objects(type))
        }
    }

    /// A type whose objects are added and deleted on their own.
    private func objects(_ type: String) throws -> ObjectsOfType {
        let objects = try ObjectsOfType(type, in: realm)
        guard !objects.schema.isEmbedded else {
            throw CommandError(
                ExitStatus.usage,
                "objects of the embedded type \(objects.name) are values of their owners: set the "
                    + "property that has them.")
        }
        return objects
    }

    private func add(_ fields: EditStatement.Fields, to objects: ObjectsOfType) throws {
        var values: [String: Any] = [:]
        for (property, value) in try EditedValues(objects: objects).values(of: fields) {
            values[property.columnName] = value ?? Any?.none as Any
        }
        if let key = objects.schema.primaryKeyProperty, values[key.columnName] == nil {
            throw CommandError(
                ExitStatus.usage,
                "an object of \(objects.name) needs its primary key “\(key.columnName)”.")
        }
        let object = try realm.dynamicInsert(objects.name, value: values, update: .error)
        let key = objects.exporter.objectKey(of: object)
        try report(key, of: objects, before: nil)
    }

    private func set(
        _ fields: EditStatement.Fields, of text: String, in objects: ObjectsOfType
    ) throws {
        let (key, before) = try objects.found(text)
        let values = try EditedValues(objects: objects).values(of: fields)
        if let property = values.map(\.property).first(where: \.isPrimaryKey) {
            throw CommandError(
                ExitStatus.usage,
                "the primary key “\(property.columnName)” can't be changed: add another object, and "
                    + "delete this one.")
        }
        guard let object = objects.exporter.object(forObjectKey: key) else { return }
        try realm.savepoint {
            for (property, value) in values { object[property.columnName] = value }
        }
        try report(key, of: objects, before: before)
    }

    private func delete(_ condition: String, of objects: ObjectsOfType) throws {
        let found: Results<DynamicObject>
        do {
            found = try realm.dynamicObjects(objects.name)
                .filter(validating: condition, arguments: [])
        } catch let error as Realm.Error where error.code == .invalidInput {
            throw CommandError(ExitStatus.usage, error.message)
        }
        // Before any is deleted, which changes what is found.
        var keys: [UInt64] = []
        try objects.exporter.forEachObject(of: found) { key, _ in keys.append(key) }
        try delete(keys, of: objects)
    }

    private func delete(_ keys: [UInt64], of objects: ObjectsOfType) throws {
        for key in keys {
            // Deleting another one may have deleted it.
            guard let before = try objects.exporter.document(forObjectKey: key),
                let object = objects.exporter.object(forObjectKey: key)
            else { continue }
            realm.delete(object)
            try report(key, of: objects, before: before)
        }
    }

    private func report(_ key: UInt64, of objects: ObjectsOfType, before: Document?) throws {
        let after = try objects.exporter.document(forObjectKey: key)
        guard let document = after ?? before else { return }
        let difference = ObjectDifference(
            type: objects.name, key: objects.exporter.identity(of: document, key), old: before,
            new: after)
        if let difference { try report(difference) }
    }
}
