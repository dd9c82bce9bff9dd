import CPlatform
import TravertineStore

/// Points two handles to objects and to those that they link to, a batch at a time.
struct LinkFollower: ~Copyable {
    /// Where an object's link leads.
    enum Link {
        case object
        case none
        /// Elsewhere, it may be: something was written since the rows were found.
        case changed
    }

    /// An object that was taken, and what is known of the one that it links to.
    private struct Taken {
        var row: FoundRow
        /// The key of the linked object, if there is one.
        var link: UInt64?
        /// Its row, if it was met before.
        var target: FoundRow?
        /// Otherwise its place in the batch, or -1.
        var place = -1
    }

    private let table: ObjectTable
    private let slot: Int
    private let element: LentHandle
    private let target: LentHandle
    private var taken: [Taken] = []
    private var batch: RowBatch
    /// Rows of the target's table.
    private var known: KnownRows
    /// Whether the objects are of the target's table, so that each is one that others may link to.
    private let isWithinTable: Bool

    init(
        _ core: RealmCore, _ source: (handle: ObjectBase, table: ObjectTable), _ slot: Int,
        _ target: (handle: ObjectBase, table: ObjectTable)
    ) throws {
        self.slot = slot
        table = source.table
        batch = RowBatch(try core.access, keyspace: target.table.stored.rows)
        element = LentHandle(source.handle, core, source.table)
        self.target = LentHandle(target.handle, core, target.table)
        known = KnownRows(rowCount: core.count(of: target.table))
        isWithinTable = source.table === target.table
        taken.reserveCapacity(RowBatch.capacity)
    }

    /// Takes a row for the next `lendAll`; false if there is no room for it.
    mutating func takes(_ key: UInt64, _ row: UnsafeRawBufferPointer) throws -> Bool {
        if taken.count == RowBatch.capacity { return false }
        var next = Taken(row: FoundRow(key: key, bytes: row))
        if element.isCurrent {
            if case .word(let link) = table.value(at: slot, in: row, try table.binding(of: row)) {
                next.link = UInt64(bitPattern: link)
                known.ask(for: UInt64(bitPattern: link))
            }
            if isWithinTable { known.note(next.row) }
        }
        taken.append(next)
        return true
    }

    /// Finds the linked objects of what was taken: all that are known, then the others.
    private mutating func findTargets() throws {
        for number in taken.indices {
            guard let link = taken[number].link else { continue }
            if let target = known.row(link) {
                taken[number].target = target
                if let start = target.bytes.baseAddress { travertine_prefetch_now(start) }
            } else {
                taken[number].place = batch.count
                batch.append(link)
            }
        }
        if batch.count > 0 { try batch.lookUp() }
    }

    /// Lends what was taken, and forgets it; tells `body` where the object's link leads.
    mutating func lendAll(_ body: (Link) throws -> Void) throws {
        if element.isCurrent { try findTargets() }
        for taken in taken {
            try element.point(to: taken.row.key, taken.row.bytes)
            guard element.isCurrent else {
                try body(.changed)
                continue
            }
            if let row = taken.target {
                try target.point(to: row.key, row.bytes)
            } else if taken.place >= 0, let found = try batch.row(taken.place) {
                known.note(FoundRow(key: batch.key(taken.place), bytes: found))
                try target.point(to: batch.key(taken.place), found)
            } else {
                try body(.none)
                continue
            }
            try body(.object)
        }
        taken.removeAll(keepingCapacity: true)
        batch.removeAll()
    }
}
