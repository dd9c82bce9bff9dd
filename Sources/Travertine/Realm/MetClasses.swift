/// Classes that a write transaction met first, and the schema that it stored with them.
///
/// A class that was not in the process, or not discovered, when the realm was opened is installed
/// where it is met. Inside of a write transaction that is a part of the transaction: the others
/// know of it when the commit is certain (`SharedStore.enter`), and nobody does after a rollback.
struct MetClasses {
    /// Every stored type, as the transaction sees them.
    var schema: StoredSchema
    /// The classes, in the order in which they were met.
    var classes: [ClassInfo]
}

/// The schema as the realm sees it: with what its transaction installed.
extension RealmCore {
    var schema: StoredSchema { met?.schema ?? shared.schema }

    func storedType(named name: String) -> StoredObjectType? {
        if let met { return met.schema.type(named: name) }
        return shared.storedType(named: name)
    }

    func storedType(number: UInt32) -> StoredObjectType? {
        if let met { return met.schema.types.first { $0.number == number } }
        return shared.storedType(number: number)
    }

    func isOpened(_ info: ClassInfo) -> Bool {
        met?.classes.contains { $0 === info } == true || shared.isOpened(info, by: configuration)
    }

    func classInfo(storedName: String) -> ClassInfo? {
        met?.classes.first { $0.storedName == storedName }
            ?? shared.classInfo(storedName: storedName, of: configuration)
    }

    /// The classes of the realm's objects.
    var openedClasses: [ClassInfo] {
        let opened = shared.openedClasses(of: configuration)
        guard let met else { return opened }
        return opened.filter { info in !met.classes.contains { $0.storedName == info.storedName } }
            + met.classes
    }

    /// The properties that link to a type.
    func linkingProperties(to name: String) -> [(type: UInt32, property: UInt32)] {
        met?.schema.linkingProperties(to: name) ?? shared.linkingProperties(to: name)
    }
}

extension StoredSchema {
    /// Puts a type in the place of its earlier state.
    mutating func replace(_ type: StoredObjectType) {
        guard let place = types.firstIndex(where: { $0.number == type.number }) else { return }
        types[place] = type
    }
}
