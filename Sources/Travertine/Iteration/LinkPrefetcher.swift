import CPlatform
import TravertineStore

/// The link of a table's objects that was followed last, and how often any was.
struct FollowedLink {
    var fieldOffset = _FieldOffset.absent
    var target: Unmanaged<TableState>?
    var count = 0
}

/// Looks up what the next objects of a loop link to, if the loop followed that link of the objects
/// before them: all at once, so that their waits for memory overlap.
///
/// All that it does is to put addresses into `RowAddressCache`. Damage is reported when the link is
/// followed.
final class LinkPrefetcher {
    private let table: TableState
    private let links = UnsafeMutablePointer<UInt64>.allocate(capacity: RowBatch.capacity)
    @exclusivity(unchecked) private var fieldOffset = _FieldOffset.absent
    @exclusivity(unchecked) private var target: Unmanaged<TableState>?
    /// The slot of the link, if it is one.
    @exclusivity(unchecked) private var slot: Int?
    @exclusivity(unchecked) private var batch: RowBatch?

    init(_ table: TableState) { self.table = table }

    deinit { links.deallocate() }

    /// Looks up the targets of some rows, `RowBatch.capacity` at most. The realm shows the version
    /// that the rows are from.
    func lookUp(_ rows: UnsafeBufferPointer<NumberedRow>, _ session: RealmSession) {
        guard let reference = table.followed.target else { return }
        reference._withUnsafeGuaranteedRef { target in
            guard target.knownGeneration == session.generation.pointee.number,
                target.known.isKeeping
            else { return }
            do {
                try lookUp(rows, target, session)
            } catch {
                return
            }
        }
    }

    private func lookUp(
        _ rows: UnsafeBufferPointer<NumberedRow>, _ target: TableState, _ session: RealmSession
    ) throws {
        guard let first = rows.first, let slot = try slot(first, target, session) else { return }
        var count = 0
        for row in rows {
            let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
            guard case .word(let link) = try table.binding(of: bytes).value(at: slot, in: bytes)
            else { continue }
            links[count] = UInt64(bitPattern: link)
            target.known.ask(for: links[count])
            count &+= 1
        }
        batch?.removeAll()
        for number in 0..<count {
            let link = links[number]
            if let row = target.known.row(link), let start = row.baseAddress {
                travertine_prefetch_now(start)
                travertine_prefetch_now(start + (row.count &- 1))
            } else {
                batch?.append(link)
            }
        }
        try findMisses(target)
    }

    /// Looks up the rows whose addresses are not cached.
    private func findMisses(_ target: TableState) throws {
        guard let count = batch?.count, count > 0 else { return }
        try batch?.lookUp()
        for number in 0..<count {
            guard let row = try batch?.row(number), let key = batch?.key(number) else { continue }
            target.known.note(key, row)
        }
    }

    /// The slot of the link that was followed last, as the layout of a row has it.
    @inline(__always)
    private func slot(_ row: NumberedRow, _ target: TableState, _ session: RealmSession) throws
        -> Int?
    {
        let followed = table.followed
        if followed.fieldOffset.isSame(as: fieldOffset),
            followed.target?.toOpaque() == self.target?.toOpaque()
        {
            return slot
        }
        return try findSlot(row, target, session)
    }

    @inline(never)
    private func findSlot(
        _ row: NumberedRow, _ target: TableState, _ session: RealmSession
    ) throws -> Int? {
        let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
        let binding = try table.binding(of: bytes)
        let fieldOffset = table.followed.fieldOffset
        let found = table.properties.indices.first {
            binding.places[$0].isSame(as: fieldOffset) && table.properties[$0].type == .object
                && table.properties[$0].collection == .none
                && table.properties[$0].target == target.stored.name
        }
        // The field offset belongs to another layout than the row's.
        guard let found else { return nil }
        slot = found
        self.fieldOffset = fieldOffset
        self.target = Unmanaged.passUnretained(target)
        batch = RowBatch(try session.access, keyspace: target.stored.rows)
        return found
    }
}
