import CPlatform
import TravertineStore

/// Points two handles to objects and to those that they link to, a batch at a time.
///
/// While one batch is lent, what the next one needs is on its way: `take` asks where the targets are
/// known, and `lookUp` asks for their rows.
final class LinkJoin {
    /// Where an object's link leads.
    enum Link {
        case object
        case none
        /// Elsewhere, it may be: something was written since the rows were found.
        case changed
    }

    /// An object that was taken, and what is known of the one that it links to.
    private struct Taken: BitwiseCopyable {
        var key: UInt64
        var row: UnsafeRawBufferPointer
        /// The key of the linked object, if there is one, and its row, if that was found.
        var link: UInt64?
        var target: UnsafeRawBufferPointer?
    }

    /// Objects that are lent one after another.
    private struct Batch {
        let taken = UnsafeMutablePointer<Taken>.allocate(capacity: RowBatch.capacity)
        var count = 0
        /// What went wrong when the targets were looked up, and at which object.
        var failure: (error: any Error, position: Int)?
    }

    private let table: ObjectTable
    private let slot: Int
    private let element: ReusableHandle
    private let target: ReusableHandle
    /// What is taken, and what was looked up before.
    @exclusivity(unchecked) private var next = Batch()
    @exclusivity(unchecked) private var current = Batch()
    /// Links of `next` whose targets are not known, and their positions there.
    @exclusivity(unchecked) private var unknown: RowBatch
    private let positions = UnsafeMutablePointer<Int>.allocate(capacity: RowBatch.capacity)
    /// Rows of the target's table.
    @exclusivity(unchecked) private var known: RowAddressCache
    /// Whether the objects are of the target's table, so that each is one that others may link to.
    private let isWithinTable: Bool

    init(
        _ session: RealmSession, _ source: (handle: ObjectBase, table: ObjectTable), _ slot: Int,
        _ target: (handle: ObjectBase, table: ObjectTable)
    ) throws {
        self.slot = slot
        table = source.table
        unknown = RowBatch(try session.access, keyspace: target.table.stored.rows)
        element = ReusableHandle(source.handle, session, source.table)
        self.target = ReusableHandle(target.handle, session, target.table)
        known = RowAddressCache(rowCount: session.count(of: target.table))
        isWithinTable = source.table === target.table
    }

    deinit {
        next.taken.deallocate()
        current.taken.deallocate()
        positions.deallocate()
    }

    /// Takes a row; there are fewer than `RowBatch.capacity` since `lend`. Returns whether there is no
    /// room for another.
    @inline(__always)
    func take(_ key: UInt64, _ row: UnsafeRawBufferPointer) throws -> Bool {
        var taken = Taken(key: key, row: row)
        if element.isCurrent {
            if case .word(let link) = table.value(at: slot, in: row, try table.binding(of: row)) {
                taken.link = UInt64(bitPattern: link)
                known.ask(for: UInt64(bitPattern: link))
            }
            if isWithinTable { known.note(key, row) }
        }
        (next.taken + next.count).initialize(to: taken)
        next.count &+= 1
        return next.count == RowBatch.capacity
    }

    /// Whether `lend` goes on, or threw what `body` did.
    @exclusivity(unchecked) private(set) var isLending = false

    /// Lends what was taken before the last call, and tells `body` where each object's link leads; finds
    /// the targets of what was taken since. Two calls lend all.
    func lend(_ body: (Link) throws -> Void) throws {
        isLending = true
        if element.isCurrent { findTargets() }
        for position in 0..<current.count { try lend(current.taken[position], position, body) }
        swap(&next, &current)
        next.count = 0
        next.failure = nil
        isLending = false
    }

    @inline(__always)
    private func lend(
        _ taken: Taken, _ position: Int, _ body: (Link) throws -> Void
    ) throws {
        try element.point(to: taken.key, taken.row)
        guard element.isCurrent else { return try body(.changed) }
        if let failure = current.failure, failure.position <= position { throw failure.error }
        guard let link = taken.link, let row = taken.target else { return try body(.none) }
        try target.point(to: link, row)
        try body(.object)
    }

    /// Finds the linked objects of what was taken: all that are known, then the others. Their rows are
    /// asked for, and read when they are lent.
    private func findTargets() {
        unknown.removeAll()
        for position in 0..<next.count {
            guard let link = next.taken[position].link else { continue }
            if let row = known.row(link), let start = row.baseAddress {
                next.taken[position].target = row
                travertine_prefetch_now(start)
                travertine_prefetch_now(start + (row.count &- 1))
            } else {
                positions[unknown.count] = position
                unknown.append(link)
            }
        }
        if unknown.count > 0 { lookUpUnknown() }
    }

    private func lookUpUnknown() {
        var place = 0
        do throws(StoreError) {
            try unknown.lookUp()
            while place < unknown.count {
                if let row = try unknown.row(place) {
                    next.taken[positions[place]].target = row
                    known.note(unknown.key(place), row)
                }
                place += 1
            }
        } catch {
            next.failure = (error, place == 0 ? 0 : positions[place])
        }
    }
}
