import TravertineStore

/// Going through the objects of a type, each with its old side and its new one (M-L2).
extension Migration {
    /// Calls `block` with every object of a type: as it was stored, and as it is now.
    ///
    /// Objects that the migration deleted or created are left out. The new object is nil for a type
    /// without a class any more; the old one is nil for a class that was not stored before, of
    /// which the objects are those that the migration created. Changes of the new object are stored
    /// if they are changes. Memory does not grow with the number of objects.
    ///
    /// A name that neither schema has does nothing, unless it is like one that a schema has: then
    /// it fails the migration.
    public func enumerateObjects(
        ofType typeName: String,
        _ block: (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) throws -> Void
    ) rethrows {
        check()
        guard var pairs = pairs(ofType: typeName) else { return }
        while pairs.next() {
            while let (old, new) = pairs.nextPair() {
                try block(old, new)
                if self.new.failure != nil { return }
            }
            flush()
        }
    }

    private func pairs(ofType typeName: String) -> MigrationPairs? {
        if new.failure != nil { return nil }
        if isAmbiguous(typeName) {
            new.fail(
                Realm.Error(
                    .invalidInput,
                    "'\(typeName)' is the name of several classes: use one of the stored names.",
                    fileURL: new.shared.fileURL))
            return nil
        }
        let info = declaration(of: typeName)
        let name = info?.storedName ?? typeName
        let oldTable = old.table(named: name)
        let newTable = info == nil ? nil : new.table(named: name)
        if oldTable == nil, newTable == nil {
            let names = newNames + oldNames
            if !NearNames.near(typeName, among: names).isEmpty {
                new.fail(unknownType(typeName, in: Set(names).sorted()))
            }
            return nil
        }
        if let table = newTable ?? oldTable, isRefusedAsAsymmetric(table) { return nil }
        return MigrationPairs(self, old: oldTable, new: newTable)
    }
}

/// The objects of a type on both sides of a migration, some at a time.
struct MigrationPairs {
    private let migration: Migration
    private let old: TableState?
    private let new: TableState?
    /// Objects that are taken together.
    private static let partCount = 256
    /// The objects of a part: their keys, and their rows as they were stored.
    private var part: [(key: UInt64, row: UnsafeRawBufferPointer)] = []
    private var position = 0
    private var last: UInt64?
    private var isAtEnd = false
    private var completedCount = 0
    private var reportedCount = 0
    private let totalCount: Int

    init(_ migration: Migration, old: TableState?, new: TableState?) {
        self.migration = migration
        self.old = old
        self.new = new
        totalCount =
            old.map { migration.old.count(of: $0) } ?? new.map { migration.new.count(of: $0) } ?? 0
    }

    /// Takes the next part; false after the last one, or after a failure.
    mutating func next() -> Bool {
        report()
        if isAtEnd || migration.new.failure != nil { return false }
        do {
            part.removeAll(keepingCapacity: true)
            position = 0
            try takePart()
            isAtEnd = part.count < Self.partCount
            last = part.last?.key ?? last
        } catch {
            migration.new.fail(error)
            return false
        }
        if part.isEmpty { report() }
        return !part.isEmpty
    }

    /// The rows of a snapshot stay where they are; those of a transaction do not.
    private mutating func takePart() throws {
        guard let table = old ?? new else { return }
        let session = old == nil ? migration.new : migration.old
        var part = part
        try session.scan(table, after: last) { key, row in
            part.append((key, row))
            return part.count < Self.partCount
        }
        self.part = part
    }

    /// The next object of the part on both sides; nil after the last one.
    mutating func nextPair() -> (old: DynamicObject?, new: DynamicObject?)? {
        while position < part.count {
            let (key, row) = part[position]
            position += 1
            completedCount += 1
            do {
                guard let pair = try pair(key, row) else { continue }
                return pair
            } catch {
                migration.new.fail(error)
                return nil
            }
        }
        return nil
    }

    private func pair(
        _ key: UInt64, _ row: UnsafeRawBufferPointer
    ) throws -> (DynamicObject?, DynamicObject?)? {
        var (oldObject, newObject): (DynamicObject?, DynamicObject?)
        if let old {
            let object = DynamicObject()
            object.bind(to: migration.old, old, key: key, row: row)
            try migration.old.throwDamage()
            oldObject = object
        }
        if let new {
            // Found in a way that a change of the object need not go again.
            guard let place = try migration.new.requireTransaction().place(ofKey: key, in: new.rows)
            else { return nil }
            let object = DynamicObject()
            object.bind(to: migration.new, new, key: key)
            migration.new.locate(object, at: place)
            newObject = object
        }
        return (oldObject, newObject)
    }

    /// Reports how far it is: now and then, and at the end.
    private mutating func report() {
        guard let progress = migration.progress, let table = old ?? new,
            isAtEnd || completedCount % 1024 == 0, completedCount > reportedCount
        else { return }
        reportedCount = completedCount
        progress(
            MigrationProgress(
                typeName: table.stored.name, completedCount: completedCount,
                totalCount: totalCount))
    }
}
