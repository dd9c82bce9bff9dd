import CPlatform
import TravertineStore

/// Joins objects with those that a link of theirs leads to: points two handles to them, a batch at
/// a time.
///
/// While one batch is lent, the memory that the next one needs is prefetched: `take` prefetches the
/// places of the targets' addresses, and `findTargets` their rows.
final class LinkJoin {
    /// Where an object's link leads.
    enum Link {
        case object
        case none
        /// To an object that must be looked up: something was written since the rows were found.
        case changed
    }

    /// An object that was taken, and what was found of the one that it links to.
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

    private let table: TableState
    private let slot: Int
    private let element: ReusableHandle
    private let target: ReusableHandle
    /// What is taken, and what was looked up before.
    @exclusivity(unchecked) private var next = Batch()
    @exclusivity(unchecked) private var current = Batch()
    /// Links of `next` to rows whose addresses are not cached, and their positions there.
    @exclusivity(unchecked) private var misses: RowBatch
    private let positions = UnsafeMutablePointer<Int>.allocate(capacity: RowBatch.capacity)
    /// The addresses of rows of the target's table.
    @exclusivity(unchecked) private var rowAddresses: RowAddressCache
    /// Whether the objects are of the target's table, so that each is one that others may link to.
    private let isWithinTable: Bool

    init(
        _ session: RealmSession, _ source: (handle: ObjectBase, table: TableState), _ slot: Int,
        _ target: (handle: ObjectBase, table: TableState)
    ) throws {
        self.slot = slot
        table = source.table
        misses = RowBatch(try session.access, keyspace: target.table.stored.rows)
        element = ReusableHandle(source.handle, session, source.table)
        self.target = ReusableHandle(target.handle, session, target.table)
        rowAddresses = RowAddressCache(rowCount: session.count(of: target.table))
        isWithinTable = source.table === target.table
    }

    deinit {
        next.taken.deallocate()
        current.taken.deallocate()
        positions.deallocate()
    }

    /// Takes a row; there are fewer than `RowBatch.capacity` since `lend`. Returns whether there is
    /// no room for another.
    @inline(__always)
    func take(_ key: UInt64, _ row: UnsafeRawBufferPointer) throws -> Bool {
        var taken = Taken(key: key, row: row)
        if element.isCurrent {
            if case .word(let link) = table.value(at: slot, in: row, try table.binding(of: row)) {
                taken.link = UInt64(bitPattern: link)
                rowAddresses.ask(for: UInt64(bitPattern: link))
            }
            if isWithinTable { rowAddresses.note(key, row) }
        }
        (next.taken + next.count).initialize(to: taken)
        next.count &+= 1
        return next.count == RowBatch.capacity
    }

    /// Whether `lend` is running, or threw what `body` did.
    @exclusivity(unchecked) private(set) var isLending = false

    /// Lends what was taken before the last call, and calls `body` with where each object's link
    /// leads; finds the targets of what was taken since. Two calls lend all.
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

    /// Finds the linked objects of what was taken: those with cached addresses, then the others.
    /// Their rows are prefetched, and read when they are lent.
    private func findTargets() {
        misses.removeAll()
        for position in 0..<next.count {
            guard let link = next.taken[position].link else { continue }
            if let row = rowAddresses.row(link), let start = row.baseAddress {
                next.taken[position].target = row
                travertine_prefetch_now(start)
                travertine_prefetch_now(start + (row.count &- 1))
            } else {
                positions[misses.count] = position
                misses.append(link)
            }
        }
        if misses.count > 0 { lookUpMisses() }
    }

    private func lookUpMisses() {
        var number = 0
        do throws(StoreError) {
            try misses.lookUp()
            while number < misses.count {
                if let row = try misses.row(number) {
                    next.taken[positions[number]].target = row
                    rowAddresses.note(misses.key(number), row)
                }
                number += 1
            }
        } catch {
            next.failure = (error, number == 0 ? 0 : positions[number])
        }
    }
}
