import OrderedIndex
import SegmentLog
import TravertineStore

/// Writes what was salvaged to a new store, through the same calls as any program.
///
/// Keyspaces keep their identifiers, because rows of object types refer to them by number; where a
/// definition is lost, a name is made up. Derived keyspaces come out empty and marked as invalid,
/// so that they are rebuilt from rows (4.4); both kept checkpoints have that mark.
struct SalvageWriter {
    private let sources: [SalvageSource]
    private let index: SalvageIndex
    private let store: Store
    private let progress: (UInt64, UInt64) -> Void
    private var written: UInt64 = 0
    private var buffer: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)

    /// The pack that was read last, and its entries.
    private var expanded: PackPlace?
    private let expansion = PackExpansion()

    private struct PackPlace: Equatable {
        var source: UInt32
        var context: UInt32
        var position: Int
    }

    private static let transactionByteCount = 8 << 20
    /// Identifiers from here on are left out: no store gives them. Each one below the highest that
    /// is used must be taken, at the cost of a definition.
    private static let keyspaceLimit = KeyspaceID(treeNumber: KeyspaceDefinition.idLimit)

    /// Writes everything and fills in the report.
    static func write(
        _ sources: [SalvageSource], _ index: SalvageIndex, to store: Store,
        report: inout SalvageReport, progress: @escaping (UInt64, UInt64) -> Void
    ) throws {
        var writer = SalvageWriter(
            sources: sources, index: index, store: store, progress: progress)
        defer { writer.buffer.deallocate() }
        let keyspaces = try writer.createKeyspaces(&report)
        try store.checkpoint()
        for keyspace in keyspaces where keyspace.kind == .records {
            try writer.writeRows(of: keyspace, &report)
        }
    }

    private init(
        sources: [SalvageSource], index: SalvageIndex, store: Store,
        progress: @escaping (UInt64, UInt64) -> Void
    ) {
        self.sources = sources
        self.index = index
        self.store = store
        self.progress = progress
    }

    // MARK: Keyspaces

    private mutating func createKeyspaces(_ report: inout SalvageReport) throws -> [Keyspace] {
        var definitions: [KeyspaceID: KeyspaceDefinition] = [:]
        try index.forEach(in: .system) { key, entry in
            guard !entry.isTombstone,
                let definition = try withValue(
                    of: entry,
                    { value in
                        key.withUnsafeBytes { KeyspaceDefinition(key: $0, value: value) }
                    }) ?? nil
            else { return }
            definitions[definition.id] = definition
        }
        let used = Set(index.keyspaces).subtracting([.system])
        let tooHigh = used.union(definitions.keys).filter { $0 >= Self.keyspaceLimit }
        if !tooHigh.isEmpty {
            report.notes.append(
                "Records of keyspaces with impossible identifiers were left out: "
                    + tooHigh.sorted().map(\.description).joined(separator: ", "))
        }
        for id in tooHigh {
            try index.forEach(in: id) { _, entry in
                if !entry.isTombstone { report.undecodableRecordCount += 1 }
            }
        }
        let last = used.union(definitions.keys).filter { $0 < Self.keyspaceLimit }.max() ?? .default
        var result = [Keyspace.default]
        var lost: Set<KeyspaceID> = []
        try store.write(durability: Durability.unsynced) { transaction in
            var names: Set<String> = [Keyspace.default.name]
            if let definition = definitions[.default] {
                try transaction.setCompression(definition.compression, of: .default)
            }
            for id in KeyspaceID.ofTrees(2..<max(last.treeNumber + 1, 2)) {
                let definition = definitions[id]
                let isLost = definition == nil && used.contains(id)
                if isLost { lost.insert(id) }
                var name = definition?.name ?? "recovered.\(id)"
                if name.isEmpty || names.contains(name) { name = "recovered.\(id)" }
                guard isLost || definition.map({ $0.kind != .dropped }) ?? false else {
                    try transaction.passOverKeyspace(named: "recovered.unused.\(id)")
                    continue
                }
                let keyspace = try transaction.keyspace(
                    named: name, kind: definition?.kind ?? .records)
                precondition(keyspace.identifier == id, "identifiers of keyspaces ascend")
                names.insert(name)
                if keyspace.kind == .derived { transaction.invalidateDerived(id) }
                if let definition, definition.kind == .records {
                    try transaction.setCompression(definition.compression, of: keyspace)
                }
                result.append(keyspace)
            }
        }
        report.keyspaces = result.map {
            SalvageReport.SalvagedKeyspace(
                id: $0.id, name: $0.name, nameIsLost: lost.contains($0.identifier),
                isDerived: $0.kind == .derived, keyCount: 0)
        }
        return result
    }

    // MARK: Rows

    private mutating func writeRows(
        of keyspace: Keyspace, _ report: inout SalvageReport
    ) throws {
        var transaction = try store.beginWrite()
        var pendingByteCount = 0
        var keyCount = 0
        let total = UInt64(index.entries.count)
        do {
            try index.forEach(in: keyspace.identifier) { key, entry in
                written += 1
                if entry.isTombstone { return }
                let byteCount = try withValue(of: entry) { value in
                    try key.withUnsafeBytes { key in
                        try transaction.put(rawKey: key, rawValue: value, in: keyspace.identifier)
                    }
                    return key.count + value.count
                }
                guard let byteCount else {
                    report.undecodableRecordCount += 1
                    return
                }
                keyCount += 1
                report.recordCount += 1
                report.byteCount += byteCount
                pendingByteCount += byteCount
                if pendingByteCount >= Self.transactionByteCount {
                    try transaction.commit(durability: Durability.unsynced)
                    transaction = try store.beginWrite()
                    pendingByteCount = 0
                    progress(written, total)
                }
            }
            try transaction.commit(durability: Durability.unsynced)
        } catch {
            transaction.rollback()
            throw error
        }
        progress(written, total)
        if let place = report.keyspaces.firstIndex(where: { $0.id == keyspace.id }) {
            report.keyspaces[place].keyCount = keyCount
        }
    }

    /// Reads a record again, verifies it, and calls `body` with its value as it was given to `put`;
    /// nil if it can't be read or its block can't be decompressed.
    private mutating func withValue<Result>(
        of entry: SalvageIndex.Entry, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        let place = PackPlace(
            source: entry.source, context: entry.context, position: entry.position)
        // Neighbours in a pack are mostly asked for one after the other.
        if place == expanded, Int(entry.ordinal) < expansion.count {
            return try body(expansion[Int(entry.ordinal)].value)
        }
        expanded = nil
        expansion.removeAll()
        defer { expanded = expansion.count == 0 ? nil : place }
        let window = sources[Int(entry.source)].window
        let found = try FragmentReader.withRecord(
            at: entry.position, ordinal: Int(entry.ordinal),
            context: index.contexts[Int(entry.context)],
            lsn: LSN(rawValue: entry.lsn), number: .none, in: window, expansion: expansion
        ) { record -> Result? in
            guard record.isCompressed else { return try body(record.value) }
            guard let byteCount = Compression.valueByteCount(ofStored: record.value) else {
                return nil
            }
            if buffer.count < byteCount {
                buffer.deallocate()
                buffer = .allocate(byteCount: byteCount, alignment: 16)
            }
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
            guard Compression.decompress(record.value, into: target) else { return nil }
            return try body(UnsafeRawBufferPointer(target))
        }
        return found ?? nil
    }
}

extension WriteTransaction {
    /// Empties a derived keyspace and marks it as lost, to be rebuilt before its first use (4.4).
    ///
    /// The log says nothing of it: only the checkpoint that follows makes the mark durable.
    func invalidateDerived(_ keyspace: KeyspaceID) {
        let tree = keyspace.treeNumber
        guard tree < writer.treeCount, writer.trees[tree].flags & TreeFlags.derived != 0 else {
            return
        }
        writer.removeAll(in: tree)
        writer.trees[tree].flags |= TreeFlags.invalid
    }
}
