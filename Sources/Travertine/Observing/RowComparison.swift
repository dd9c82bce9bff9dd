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
    /// Whether slots and stored types of both are the same.
    private let isOfOneType: Bool
    /// The layouts of the rows that were compared last: mostly those of the next ones.
    private var oldBinding: LayoutBinding?
    private var newBinding: LayoutBinding?

    /// A type in one version, and where its layouts are read.
    struct Side {
        let type: TypeDescription
        let access: ReadAccess
        let schemaKeyspace: KeyspaceID

        fileprivate func binding(
            of row: UnsafeRawBufferPointer, after last: LayoutBinding?
        ) throws -> LayoutBinding {
            if row.count >= 2 {
                let number = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
                if let last, last.layout.number == number,
                    row.count >= Int(last.layout.fixedByteCount)
                {
                    return last
                }
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
        isOfOneType = older.type === newer.type
        pairs = newer.type.properties.enumerated().map { slot, property in
            Pair(
                number: property.number, old: older.type.slot(ofProperty: property.number),
                new: slot, isCollection: property.collection != .none)
        }
    }

    /// The properties whose values differ in two rows.
    mutating func changedProperties(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) throws -> PropertyNumbers {
        let oldBinding = try older.binding(of: old, after: oldBinding)
        let newBinding = try newer.binding(of: new, after: newBinding)
        self.oldBinding = oldBinding
        self.newBinding = newBinding
        let bytes =
            isOfOneType && oldBinding === newBinding
            ? DifferingBytes(old, new, in: newBinding.layout) : nil
        var changed = PropertyNumbers()
        for pair in pairs {
            if let bytes, !bytes.concern(newBinding.places[pair.new], newBinding.shapes[pair.new]) {
                continue
            }
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

/// Where two rows of one layout differ, if that is in its fixed part only: then what other bytes say
/// is the same in both. Whole words, so that it may be a little more.
private struct DifferingBytes {
    private let begin: Int
    private let end: Int

    /// Nil if anything else differs.
    init?(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, in layout: Layout) {
        guard old.count == new.count, let left = old.baseAddress, let right = new.baseAddress
        else { return nil }
        let limit = Int(layout.fixedByteCount)
        var begin = 0
        while begin + 8 <= limit, Self.isSameWord(left, right, at: begin) { begin += 8 }
        // From the end on towards it, by words too.
        var end = old.count
        while end - 8 >= limit, Self.isSameWord(left, right, at: end - 8) { end -= 8 }
        while end > limit {
            guard
                left.load(fromByteOffset: end - 1, as: UInt8.self)
                    == right.load(fromByteOffset: end - 1, as: UInt8.self)
            else { return nil }
            end -= 1
        }
        while end - 8 >= begin, Self.isSameWord(left, right, at: end - 8) { end -= 8 }
        self.begin = begin
        self.end = end
    }

    private static func isSameWord(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, at offset: Int
    ) -> Bool {
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// Whether they may be among those that a property is read from.
    func concern(_ place: _FieldOffset, _ shape: PieceShape) -> Bool {
        if place.isAbsent { return false }
        let nullByte = Int(place.nullBit >> 3)
        if place.nullBit != 0, nullByte >= begin, nullByte < end { return true }
        let offset = Int(place.offset)
        return switch shape {
        case .word: offset + 8 - place.width < end && offset + 8 > begin
        case .fixed(let count): offset < end && offset + Int(count) > begin
        // A piece begins where the one before it ends.
        case .variable: offset + 8 - 2 * place.width < end && offset + 8 > begin
        }
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
