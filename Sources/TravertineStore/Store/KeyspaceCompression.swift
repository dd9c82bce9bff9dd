/// What compaction does with the values of a keyspace.
public enum KeyspaceCompression: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// Values stay as they are, to be read in place.
    case off = 0
    /// What compaction copies is compressed with LZ4, several values together; what was written and
    /// not compacted yet is not.
    ///
    /// For data that is written once and read seldom: text and JSON take less than half of the
    /// space, and reading one value takes about a microsecond more.
    case cold = 1
    /// What compaction copies shares records, several small values together, which stay as they are
    /// and are read in place: each takes about ten bytes beside itself instead of 36 and its key.
    ///
    /// For many small records, such as the rows of objects, which have it from the start. A
    /// verified read checks the whole record, of about 2 KiB.
    case packed = 2
}

extension WriteTransaction {
    /// Lets compaction compress or pack the values of a keyspace from now on, or no more.
    ///
    /// Takes effect as compaction copies records; `Store.compact()` copies all. Once any keyspace
    /// of a store was `.cold`, its manifest has format version 3; once any was `.packed`, 4.
    ///
    /// - Throws: `.misuse` for keyspaces of the object layer, whose rows are read in place;
    ///   `.noSuchKeyspace` for one that was dropped.
    public func setCompression(
        _ compression: KeyspaceCompression, of keyspace: Keyspace
    ) throws(StoreError) {
        try checkRecords(keyspace.identifier)
        guard knownKeyspace(named: keyspace.name) == keyspace else {
            throw .noSuchKeyspace(keyspace.identifier)
        }
        if writer.trees[keyspace.identifier.treeNumber].compression == compression { return }
        switch compression {
        case .off: break
        case .packed: try store.checkpoints.mark { $0.mayBePacked = true }
        case .cold:
            guard !Self.isReadInPlace(keyspace.name) else {
                throw StoreError(
                    .misuse,
                    "The rows of objects are read in place and can't be compressed. Compress a "
                        + "keyspace of your own.")
            }
            try store.checkpoints.mark { $0.mayBeCompressed = true }
        }
        let definition = KeyspaceDefinition(
            id: keyspace.identifier, kind: keyspace.kind, name: keyspace.name,
            compression: compression)
        try storeDefinition(definition)
        writer.trees[keyspace.identifier.treeNumber].flags = definition.treeFlags
        isDeleteOnly = false
    }

    /// What compaction does with a keyspace's values, as this transaction sees it.
    public func compression(of keyspace: Keyspace) throws(StoreError) -> KeyspaceCompression {
        try checkRecords(keyspace.identifier)
        return writer.trees[keyspace.identifier.treeNumber].compression
    }

    /// The keyspace with a name, created when there is none, and set to be compressed, packed, or
    /// not.
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
    package static func isReadInPlace(_ name: String) -> Bool {
        name.hasPrefix("travertine.") || name.hasPrefix("type.")
    }
}

extension Snapshot {
    /// What compaction does with a keyspace's values, as of this snapshot.
    public func compression(of keyspace: Keyspace) -> KeyspaceCompression {
        access.tree(of: keyspace.identifier).compression
    }
}
