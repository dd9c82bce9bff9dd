/// Runs when a realm is opened with a higher schema version than the stored one; gets the stored
/// version.
public typealias MigrationBlock = @Sendable (Migration, UInt64) -> Void

/// What a migration block can do: say which property of the classes was which before.
public final class Migration {
    /// A property that got another name.
    struct Renaming: Equatable {
        var type: String
        var from: String
        var to: String
    }

    /// The stored schema.
    public let oldSchema: Schema
    /// The schema of the classes.
    public let newSchema: Schema
    private(set) var renamings: [Renaming] = []
    /// A sentence for each renaming that names no single type.
    private(set) var problems: [String] = []

    init(old: StoredSchema, new: [ClassInfo]) {
        oldSchema = Schema(old.types.map { ObjectSchema($0) })
        newSchema = Schema(new.map { ObjectSchema($0) })
    }

    /// Keeps the values of a property whose stored name changed; no row is rewritten.
    ///
    /// The type is named by its class, or by its stored name, which counts if several classes have
    /// the name.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        let named = newSchema.objectSchema.filter { $0.className == typeName }
        let stored = newSchema.objectSchema.first { $0.objectTypeName == typeName }
        if named.count > 1, stored == nil {
            problems.append(
                "Cannot rename property '\(typeName).\(oldName)' because several classes have that "
                    + "name: use a stored name.")
            return
        }
        let type = named.count == 1 ? named[0] : stored
        renamings.append(
            Renaming(
                type: type?.objectTypeName ?? typeName, from: oldName,
                to: type?[newName]?.columnName ?? newName))
    }

    /// Renames properties of a stored schema.
    ///
    /// - Returns: a sentence for each renaming that can't be.
    static func apply(
        _ renamings: [Renaming], to stored: inout StoredSchema, _ classes: [ClassInfo]
    ) -> [String] {
        var problems: [String] = []
        for renaming in renamings {
            let path = "\(renaming.type).\(renaming.from)"
            guard let info = classes.first(where: { $0.storedName == renaming.type }),
                let index = stored.types.firstIndex(where: { $0.name == renaming.type }),
                let property = stored.types[index].properties.firstIndex(where: {
                    $0.name == renaming.from
                })
            else {
                problems.append("Cannot rename property '\(path)' because it does not exist.")
                continue
            }
            let declared = info.properties.first { $0.storedName == renaming.to }
            let old = stored.types[index].properties[property]
            if info.properties.contains(where: { $0.storedName == renaming.from }) {
                problems.append(
                    "Cannot rename property '\(path)' to '\(renaming.to)' because the source "
                        + "property still exists.")
            } else if stored.types[index].properties.contains(where: { $0.name == renaming.to }) {
                problems.append(
                    "Cannot rename property '\(path)' to '\(renaming.to)' because a stored property "
                        + "has that name already.")
            } else if let declared, !SchemaComparison.needsNewProperty(old, declared) {
                if old.isOptional, !declared.type.isOptional {
                    problems.append(
                        "Cannot rename property '\(path)' to '\(renaming.to)' because it would "
                            + "change from optional to required.")
                } else {
                    stored.types[index].properties[property].name = renaming.to
                }
            } else if let declared,
                PropertyConversion(
                    old, declared, varies: LinkVariation.varies(declared, classes)) != nil
            {
                stored.types[index].properties[property].name = renaming.to
            } else {
                problems.append(
                    "Cannot rename property '\(path)' to '\(renaming.to)' because "
                        + (declared == nil ? "it does not exist." : "it has another type."))
            }
        }
        return problems
    }
}
