/// Whether compaction compresses the values of a keyspace.
public enum KeyspaceCompression: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// Values stay as they are, to be read in place.
    case off = 0
    /// What compaction copies is compressed with LZ4, several values together; what was written and
    /// not compacted yet is not.
    ///
    /// For data that is written once and read seldom: text and JSON take less than half of the space,
    /// and reading one value takes about a microsecond more.
    case cold = 1
}

extension WriteTransaction {
    /// Lets compaction compress the values of a keyspace from now on, or no more.
    ///
    /// Takes effect as compaction copies records; `Store.compact()` copies all. Once any keyspace of a
    /// store was `.cold`, its manifest has format version 3.
    ///
    /// - Throws: `.misuse` for keyspaces of the object layer, whose rows are read in place;
    ///   `.noSuchKeyspace` for one that was dropped.
    public func setCompression(
        _ compression: KeyspaceCompression, of keyspace: Keyspace
    ) throws(StoreError) {
        try checkRecords(keyspace.id)
        guard knownKeyspace(named: keyspace.name) == keyspace else {
            throw .noSuchKeyspace(keyspace.id)
        }
        let flags = writer.trees[Int(keyspace.id)].flags
        if (flags & TreeFlags.cold != 0) == (compression == .cold) { return }
        if compression == .cold {
            guard !Self.isReadInPlace(keyspace.name) else {
                throw StoreError(
                    .misuse,
                    "The rows of objects are read in place and can't be compressed. Compress a "
                        + "keyspace of your own.")
            }
            try store.checkpoints.markCompressed()
        }
        let definition = KeyspaceDefinition(
            id: keyspace.id, kind: keyspace.kind, name: keyspace.name, compression: compression)
        try storeDefinition(definition)
        writer.trees[Int(keyspace.id)].flags = definition.treeFlags
        isDeleteOnly = false
    }

    /// Whether a keyspace's compaction compresses, as this transaction sees it.
    public func compression(of keyspace: Keyspace) throws(StoreError) -> KeyspaceCompression {
        try checkRecords(keyspace.id)
        return writer.trees[Int(keyspace.id)].compression
    }

    /// The keyspace with a name, created when there is none, and set to compress or not.
    ///
    /// - Throws: what `keyspace(named:)` and `setCompression(_:of:)` throw.
    public func keyspace(
        named name: String, compression: KeyspaceCompression
    ) throws(StoreError) -> Keyspace {
        let keyspace = try keyspace(named: name)
        try setCompression(compression, of: keyspace)
        return keyspace
    }

    /// Whether a keyspace is one of the object layer's.
    static func isReadInPlace(_ name: String) -> Bool {
        name.hasPrefix("travertine.") || name.hasPrefix("type.")
    }
}

extension Snapshot {
    /// Whether a keyspace's compaction compresses, as of this snapshot.
    public func compression(of keyspace: Keyspace) -> KeyspaceCompression {
        access.tree(of: keyspace.id).compression
    }
}
