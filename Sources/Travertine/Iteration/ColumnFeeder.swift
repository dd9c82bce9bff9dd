import OrderedIndex
import TravertineStore

/// Goes along the matches of a selection, and gives the handle of a loop what columns have of the
/// object that the handle stands for, so that no row is read (S-Q7).
///
/// The handle has no row. A property that is read is asked for here first (`RealmSession.source`).
/// If it has no column the row is looked up, which is noted: then the loop goes on with rows, many
/// at a time. No column is built for a loop.
///
/// Used by the session's thread alone; gives nothing once the realm shows something else.
final class ColumnFeeder {
    /// What a leaf has of a property. Its column is in `loaded`: nothing is counted to read it.
    private enum Source: BitwiseCopyable {
        case unknown
        case none
        /// The primary key by which rows are stored.
        case key
        case numbers(Unmanaged<Column>, isFloat: Bool)
        case texts(Unmanaged<TextColumn>)
    }

    private let selection: RowSelection
    private let table: TableState
    private let info: ClassInfo
    private let cache: ColumnCache
    private let generation: UnsafeMutablePointer<Generation>
    private let ownGeneration: UInt64
    /// The current leaf; -1 before the first one.
    @exclusivity(unchecked) private var leafNumber = -1
    @exclusivity(unchecked) private var entries: LeafEntries?
    /// The matches of the leaf, and the keys of all its rows.
    private let positions = UnsafeMutablePointer<UInt8>.allocate(capacity: LeafPositions.countMax)
    private let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: LeafPositions.countMax)
    @exclusivity(unchecked) private var count = 0
    /// The current match of the leaf, its place among all rows, and its key.
    @exclusivity(unchecked) private var match = 0
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var key: UInt64 = 0
    /// The handle that stands for the current match.
    @exclusivity(unchecked) private var handle: UnsafeMutableRawPointer?
    /// What the leaf has of each slot, and the slots that were asked for.
    private let sources: UnsafeMutablePointer<Source>
    private let slotCount: Int
    @exclusivity(unchecked) private var askedSlots: [Int] = []
    @exclusivity(unchecked) private var loaded: [LeafColumn] = []
    /// The numbers of columns in the cache, by slot: 0 if it was not asked for, nil if there are
    /// none.
    @exclusivity(unchecked) private var numbers: [UInt32?]
    /// Whether a row was looked up all the same.
    @exclusivity(unchecked) private(set) var hasMissed = false

    /// Nil for a type without class.
    init?(_ selection: RowSelection, _ table: TableState, _ session: RealmSession) {
        guard let info = table.classInfo else { return nil }
        self.selection = selection
        self.table = table
        self.info = info
        cache = session.columns
        generation = session.generation
        ownGeneration = session.generation.pointee.number
        slotCount = table.properties.count
        sources = .allocate(capacity: slotCount)
        sources.initialize(repeating: .unknown, count: slotCount)
        numbers = Array(repeating: 0, count: slotCount)
    }

    deinit {
        positions.deallocate()
        keys.deallocate()
        sources.deallocate()
    }

    // MARK: Objects

    /// Goes to the next match and gives its key; nil at the end.
    @inline(__always)
    func next() -> UInt64? {
        match &+= 1
        if match >= count, !enterLeaf() { return nil }
        position = Int(positions[match])
        key = keys[position]
        return key
    }

    /// Says which handle stands for the current match.
    @inline(__always)
    func feed(_ object: ObjectBase) { handle = Unmanaged.passUnretained(object).toOpaque() }

    @inline(never)
    private func enterLeaf() -> Bool {
        table.coreReference._withUnsafeGuaranteedRef { $0.checkThread() }
        for slot in askedSlots { sources[slot] = .unknown }
        askedSlots.removeAll(keepingCapacity: true)
        loaded.removeAll(keepingCapacity: true)
        leafNumber = min(leafNumber + 1, selection.leaves.count)
        (match, count) = (0, 0)
        guard leafNumber < selection.leaves.count else { return false }
        let leaf = selection.leaves[leafNumber]
        let entries = leaf.node.entries
        self.entries = entries
        var rest = leaf.positions
        rest.drain { position in
            positions[count] = UInt8(truncatingIfNeeded: position)
            count &+= 1
            return true
        }
        entries.copyNumbers(to: keys)
        return true
    }

    /// The matches after the current one.
    func walk(_ access: ReadAccess) -> SelectionWalk {
        if leafNumber < 0 { return SelectionWalk(selection, access) }
        var words = SIMD4<UInt64>.zero
        for number in min(match + 1, count)..<count {
            let position = Int(positions[number])
            words[position >> 6] |= 1 << UInt64(position & 63)
        }
        return SelectionWalk(
            selection, access, from: leafNumber, LeafPositions(words: words))
    }

    // MARK: Values

    /// The value of a property of the object that a handle stands for; nil if it must be looked up.
    func value(of object: ObjectBase, _ offset: Int) -> _RawValue? {
        // A handle that the program released may have left its address to another one.
        guard handle == Unmanaged.passUnretained(object).toOpaque(), object.key == key,
            object.tableReference?.toOpaque() == Unmanaged.passUnretained(table).toOpaque(),
            generation.pointee.number == ownGeneration,
            let slot = info.slot(atOffset: offset), slot < slotCount
        else { return nil }
        switch sources[slot] {
        case .numbers(let column, let isFloat):
            return column._withUnsafeGuaranteedRef { Self.value(position, of: $0, isFloat) }
        case .key: return .word(StoredObjectType.primaryKey(ofObjectKey: key))
        case .texts(let column):
            return column._withUnsafeGuaranteedRef {
                ValueColumn($0, isText: true).value(position, .string)
            }
        case .none: return nil
        case .unknown:
            sources[slot] = source(of: slot)
            return value(of: object, offset, again: slot)
        }
    }

    /// As above, once it was looked for what the leaf has.
    @inline(never)
    private func value(of object: ObjectBase, _ offset: Int, again slot: Int) -> _RawValue? {
        if case .unknown = sources[slot] { return nil }
        return value(of: object, offset)
    }

    @inline(__always)
    private static func value(_ position: Int, of column: Column, _ isFloat: Bool) -> _RawValue {
        if let nulls = column.nulls, nulls[position] != 0 { return .null }
        let word = column.word(position)
        if !isFloat { return .word(word) }
        let number = Double(bitPattern: UInt64(bitPattern: word))
        return .word(Int64(Float(number).bitPattern))
    }

    /// Notes that a row is looked up.
    func noteLookUp(of object: ObjectBase) {
        if handle == Unmanaged.passUnretained(object).toOpaque() { hasMissed = true }
    }

    @inline(never)
    private func source(of slot: Int) -> Source {
        askedSlots.append(slot)
        let property = table.properties[slot]
        if property.isPrimaryKey, table.stored.keyKind == .integerPrimaryKey { return .key }
        guard property.type != .object, let entries, let number = number(of: slot),
            let found = cache.column(ColumnCache.Key(node: entries.node, subject: number))
        else { return .none }
        loaded.append(found)
        guard property.type == .string else {
            return .numbers(
                Unmanaged.passUnretained(unsafeDowncast(found, to: Column.self)),
                isFloat: property.type == .float)
        }
        let texts = unsafeDowncast(found, to: TextColumn.self)
        return texts.hasTexts ? .texts(Unmanaged.passUnretained(texts)) : .none
    }

    private func number(of slot: Int) -> UInt32? {
        if numbers[slot] == 0 {
            numbers[slot] = ColumnSubject(ColumnSource(slot: slot), table)
                .map { cache.number(of: $0) }
        }
        return numbers[slot]
    }
}
