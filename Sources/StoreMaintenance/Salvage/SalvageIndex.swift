import OrderedIndex
import SegmentLog
import TravertineStore

/// The newest version of every key that was found, and where it lies.
///
/// Memory is that of an index of all keys, as opening the store takes it, and 40 bytes for each.
///
/// Order of versions: by original LSN (M3); a move before the record that it was copied from,
/// because only the newest version of its transaction is ever moved; then by place in the batch.
final class SalvageIndex {
    /// One version of a key.
    struct Entry {
        var lsn: UInt64
        /// Bit 32: a move; bits 31…0: the offset in the segment.
        var tie: UInt64
        var source: UInt32
        var context: UInt32
        var position: Int
        var isTombstone: Bool
        /// The place in a pack, 0 where nothing is packed.
        var ordinal: UInt16
    }

    private let index = Index()
    private let writer: IndexWriter
    private(set) var entries: [Entry] = []
    private(set) var contexts: [FragmentContext] = []
    private var contextNumbers: [FragmentContext: UInt32] = [:]
    /// The tree of each keyspace.
    private var trees: [KeyspaceID: Int] = [:]

    init() {
        index.install(trees: [], version: 1, tag: 0)
        writer = index.beginWrite()
    }

    /// The identifiers of all keyspaces that have had a key, ascending.
    var keyspaces: [KeyspaceID] { trees.keys.sorted() }

    /// Takes a version if it is newer than the one that is known; true if so.
    @discardableResult
    func offer(
        _ record: RecoveredRecord, source: Int, position: Int, context: FragmentContext
    ) throws -> Bool {
        let isMove = record.kind.isMove
        let entry = Entry(
            lsn: record.originalLSN.rawValue,
            tie: UInt64(isMove ? 1 : 0) << 32 | UInt64(record.location.offset),
            source: UInt32(source), context: number(of: context), position: position,
            isTombstone: record.kind == .delete || record.kind == .tombstoneMove,
            ordinal: UInt16(record.location.ordinal))
        let tree = tree(of: record.keyspace)
        if let known = try writer.value(forKey: record.key, in: tree) {
            let old = entries[Int(known)]
            guard (old.lsn, old.tie) <= (entry.lsn, entry.tie) else { return false }
            entries[Int(known)] = entry
        } else {
            _ = try writer.insert(record.key, value: UInt64(entries.count), in: tree)
            entries.append(entry)
        }
        return true
    }

    /// The version that is known of a key.
    func entry(forKey key: [UInt8], in keyspace: KeyspaceID) throws -> Entry? {
        guard let tree = trees[keyspace] else { return nil }
        let found = try key.withUnsafeBytes { try writer.value(forKey: $0, in: tree) }
        return found.map { entries[Int($0)] }
    }

    /// Calls `body` with every key of a keyspace in order. Ends the taking of versions.
    func forEach(in keyspace: KeyspaceID, _ body: ([UInt8], Entry) throws -> Void) throws {
        guard let tree = trees[keyspace] else { return }
        let pin = sealed()
        defer { index.unpin(pin) }
        var cursor = index.reader.makeCursor(over: pin.root.pointee.trees[tree])
        var isValid = try cursor.seekToFirst()
        while isValid {
            try body(cursor.withKey { Array($0) }, entries[Int(cursor.value)])
            isValid = try cursor.next()
        }
    }

    private var isSealed = false

    private func sealed() -> IndexPin {
        if !isSealed {
            isSealed = true
            index.publish(writer.commit(tag: 0))
        }
        return index.pin(note: 0)
    }

    private func tree(of keyspace: KeyspaceID) -> Int {
        if let tree = trees[keyspace] { return tree }
        let tree = writer.appendTree(.empty)
        trees[keyspace] = tree
        return tree
    }

    private func number(of context: FragmentContext) -> UInt32 {
        if let number = contextNumbers[context] { return number }
        let number = UInt32(contexts.count)
        contexts.append(context)
        contextNumbers[context] = number
        return number
    }
}
