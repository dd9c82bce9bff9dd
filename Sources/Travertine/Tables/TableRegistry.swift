/// The tables of a session: by class, by the number of the stored type, and in families of classes.
///
/// Bookkeeping only; what a table is made of, and when, is for `RealmSession+Tables`.
struct TableRegistry {
    /// Every table that was made: handles refer to them unretained for as long as the session
    /// lives, also to one without a class whose place was taken by another with its class.
    private(set) var all: [TableState] = []
    private var byType: [ObjectIdentifier: TableState] = [:]
    private var byNumber: [UInt32: TableState] = [:]
    /// Tables of types that went with a rolled-back transaction, for the handles that have them.
    private var gone: [TableState] = []
    /// Tables of classes that can't be installed.
    private var missing: [ObjectIdentifier: TableState] = [:]
    /// Tables of classes with those derived from them, and how many classes were open then.
    private var families: [ObjectIdentifier: (tables: [TableState], classCount: Int)] = [:]
    /// The class that was asked for last, and its table.
    private var last: (type: ObjectIdentifier, table: Unmanaged<TableState>)?

    /// The table of the class that was asked for last, if it is this one; nothing is counted.
    @inline(__always)
    func lastTable(of type: ObjectBase.Type) -> Unmanaged<TableState>? {
        if let last, last.type == ObjectIdentifier(type) { return last.table }
        return nil
    }

    /// The table of a class, which becomes the one that was asked for last; nil if there is none
    /// yet.
    mutating func table(of type: ObjectBase.Type) -> TableState? {
        guard let table = byType[ObjectIdentifier(type)] else { return nil }
        last = (ObjectIdentifier(type), Unmanaged.passUnretained(table))
        return table
    }

    /// The table of a stored type; nil if there is none yet.
    func table(number: UInt32) -> TableState? { byNumber[number] }

    /// The table that shows a stored type's objects as ones of a class; nil if there is none yet.
    func view(number: UInt32, as type: ObjectBase.Type) -> TableState? {
        all.first { $0.stored.number == number && $0.classInfo?.type == type }
    }

    /// Enters the table of a stored type, and of its class if it has one.
    mutating func add(_ table: TableState) {
        if let type = table.classInfo?.type { byType[ObjectIdentifier(type)] = table }
        byNumber[table.stored.number] = table
        all.append(table)
        last = nil
    }

    /// Enters a table that shows a type in another way than its own.
    mutating func addView(_ table: TableState) { all.append(table) }

    /// The table without objects of a class that can't be installed; nil if there is none yet.
    func missingTable(of type: ObjectBase.Type) -> TableState? {
        missing[ObjectIdentifier(type)]
    }

    mutating func addMissing(_ table: TableState, of type: ObjectBase.Type) {
        missing[ObjectIdentifier(type)] = table
    }

    /// The tables of a class and of those derived from it, found while so many classes were open;
    /// nil if they must be found again.
    func family(of base: ObjectBase.Type, classCount: Int) -> [TableState]? {
        guard let known = families[ObjectIdentifier(base)], known.classCount == classCount else {
            return nil
        }
        return known.tables
    }

    mutating func setFamily(_ tables: [TableState], of base: ObjectBase.Type, classCount: Int) {
        families[ObjectIdentifier(base)] = (tables, classCount)
    }

    /// Takes out the tables of classes whose installation was undone: those of types that are not
    /// stored any more are marked as gone.
    mutating func forget(_ undone: some Collection<ClassInfo>, isStored: (TableState) -> Bool) {
        last = nil
        families.removeAll()
        for info in undone { byType[ObjectIdentifier(info.type)] = nil }
        for table in all where !isStored(table) {
            byNumber[table.stored.number] = nil
            table.change(to: table.stored.withoutKeyspaces)
            table.isGone = true
            gone.append(table)
        }
        all.removeAll { $0.isGone }
        for table in byNumber.values where undone.contains(where: { $0 === table.classInfo }) {
            byNumber[table.stored.number] = nil
        }
    }
}
