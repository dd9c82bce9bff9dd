import TravertineStore

/// Compares rows of a type in two versions by what they say, and not by how they are laid out.
///
/// A row that has another layout, or lacks a property that the other one stores with its default
/// value, is the same. A property counts under its number, so that a renamed one is the same.
/// Properties that only the older version has don't count: nobody can ask for them any more.
struct RowComparison {
    /// A property: its number, and where each version has it.
    private struct Pair {
        let number: UInt32
        let old: Int?
        let new: Int
        let isCollection: Bool
    }

    private let older: Side
    private let newer: Side
    private let pairs: [Pair]

    /// A type in one version, and where its layouts are read.
    struct Side {
        let type: TypeDescription
        let access: ReadAccess
        let schemaKeyspace: KeyspaceID

        fileprivate func binding(of row: UnsafeRawBufferPointer) throws -> LayoutBinding {
            if row.count >= 2 {
                let number = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
                let binding = try type.binding(number) {
                    try StoredSchema.loadLayout(
                        access, keyspace: schemaKeyspace, type: type.stored.number, number: number)
                }
                if let binding, row.count >= Int(binding.layout.fixedByteCount) { return binding }
            }
            throw Realm.Error(
                .invalidDatabase,
                "A row of \(type.stored.name) is shorter than its layout says, or has an unknown "
                    + "one. Run `travertine fsck` on the directory.")
        }
    }

    init(_ older: Side, _ newer: Side) {
        self.older = older
        self.newer = newer
        pairs = newer.type.properties.enumerated().map { slot, property in
            Pair(
                number: property.number, old: older.type.slot(ofProperty: property.number),
                new: slot, isCollection: property.collection != .none)
        }
    }

    /// The properties whose values differ in two rows.
    func changedProperties(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) throws -> PropertyNumbers {
        let oldBinding = try older.binding(of: old)
        let newBinding = try newer.binding(of: new)
        var changed = PropertyNumbers()
        for pair in pairs {
            let before =
                pair.old.map { older.type.value(at: $0, stored: oldBinding.value(at: $0, in: old)) }
                ?? newer.type.defaultValue(at: pair.new)
            let after = newer.type.value(
                at: pair.new, stored: newBinding.value(at: pair.new, in: new))
            if before.isSame(as: after) { continue }
            if pair.isCollection, before.isSameTree(as: after) { continue }
            changed.insert(pair.number)
        }
        return changed
    }
}

extension _RawValue {
    /// Whether both say that a large collection is in the same nodes; then its nodes say whether
    /// it changed. The number of the next new node is no part of it.
    fileprivate func isSameTree(as other: _RawValue) -> Bool {
        guard case .bytes(let left) = self, case .bytes(let right) = other,
            case .tree(let height, let root, _, let count) = CollectionPiece(left),
            case .tree(let otherHeight, let otherRoot, _, let otherCount) = CollectionPiece(right)
        else { return false }
        return (height, root, count) == (otherHeight, otherRoot, otherCount)
    }
}
