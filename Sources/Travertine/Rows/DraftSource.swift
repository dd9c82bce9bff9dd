/// A draft as the source of a row: what documents, imports and structs fill.
final class DraftSource: RowSource {
    private let draft: ObjectDraft
    private let session: RealmSession
    private let table: TableState
    /// The pieces of collections that are too large for the row.
    private var trees: [Int: [UInt8]] = [:]

    init(_ draft: ObjectDraft, _ session: RealmSession, _ table: TableState) {
        self.draft = draft
        self.session = session
        self.table = table
    }

    /// Whether the draft sets it, or the class declares it: then the default is its value.
    @inline(__always)
    func hasValue(at slot: Int) -> Bool { slot < table.visibleCount || draft.isSet(slot) }

    func storePieces(of key: UInt64, _ writer: RowWriter) throws {
        for slot in table.ownedSlots where table.properties[slot].collection != .none {
            let storage = CollectionStorage(session, table, key, slot)
            if let batch = draft.largeBatch(slot) {
                trees[slot] = try storage.piece(batch)
                try storage.addBacklinks(batch)
            } else if table.properties[slot].backlinks != .absent {
                try storage.addBacklinks(draft.inlineBatch(slot))
            }
        }
    }

    @inline(__always)
    func encode(_ slot: Int, into encoder: _RowEncoder) {
        if let raw = draft.raw(slot) {
            encoder.put(raw, at: slot)
        } else if let tree = trees[slot] {
            tree.withUnsafeBytes { encoder.put(.bytes($0), at: slot) }
        } else {
            session.defaultConstant(at: slot, in: table).withRaw { encoder.put($0, at: slot) }
        }
    }
}
