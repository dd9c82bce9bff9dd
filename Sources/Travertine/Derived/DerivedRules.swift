import TravertineStore

/// What is derived from the rows of a type: the entries of the index of its primary key, of its
/// other indexes, and of the backlinks of its links. Nothing else knows which entries there are
/// (O7).
///
/// `collect` is a function of values alone, for a row that is new, changed or removed. Elements of
/// collections are collected where they change, one by one.
final class DerivedRules: Sendable {
    /// What an entry is of: a property, or one of `indexes`.
    enum Origin: Equatable {
        case slot(Int)
        case index(Int)
    }

    /// Entries of one keyspace that follow one property.
    struct SlotRule: Sendable {
        enum Kind: UInt8 {
            /// The index of the primary key.
            case primaryKey
            /// The index of a property.
            case value
            /// Backlinks of a link.
            case link
            /// Backlinks of a value of any type.
            case mixedLink
        }

        let kind: Kind
        let type: PropertyType
        /// Whether the objects that it links to belong to the linking object.
        let isOwning: Bool
        let slot: Int
        let keyspace: KeyspaceID
    }

    /// Rules of single values, by slot.
    let slotRules: [SlotRule]
    /// Rules of the elements of collections.
    private let elementRules: [SlotRule]
    /// Indexes over several properties, unique ones, and those of words.
    let indexes: [TableIndex]
    /// Whether something follows the value of a slot.
    let isFollowed: [Bool]
    /// Whether objects of the type are points, which indexes of their owners may have.
    let isPoint: Bool
    /// Whether nothing follows from a row.
    let isEmpty: Bool

    /// - Parameters:
    ///   - properties: those of the type, by slot.
    ///   - keyspaces: the derived keyspaces that are asked for; nil for all.
    init(
        _ type: StoredObjectType, _ properties: [StoredProperty], keyspaces: Set<KeyspaceID>? = nil
    ) {
        func isWanted(_ keyspace: KeyspaceID) -> Bool {
            keyspace != .absent && keyspaces?.contains(keyspace) ?? true
        }
        var slotRules: [SlotRule] = []
        var elementRules: [SlotRule] = []
        for (slot, property) in properties.enumerated() {
            func rule(_ kind: SlotRule.Kind, _ keyspace: KeyspaceID) -> SlotRule {
                SlotRule(
                    kind: kind, type: property.type, isOwning: property.isOwning, slot: slot,
                    keyspace: keyspace)
            }
            let link = rule(property.type == .any ? .mixedLink : .link, property.backlinks)
            if property.collection != .none {
                if isWanted(property.backlinks) { elementRules.append(link) }
                continue
            }
            if isWanted(property.index) { slotRules.append(rule(.value, property.index)) }
            if property.isPrimaryKey, isWanted(type.keyIndex) {
                slotRules.append(rule(.primaryKey, type.keyIndex))
            }
            if isWanted(property.backlinks) { slotRules.append(link) }
        }
        let indexes = type.indexes.filter { isWanted($0.keyspace) }.compactMap {
            TableIndex($0, properties)
        }
        let pointSlots = type.isEmbedded ? PointSlots(properties) : nil
        isFollowed = properties.indices.map { slot in
            slotRules.contains { $0.slot == slot } || indexes.contains { $0.slots.contains(slot) }
                || pointSlots?.contains(slot) == true
        }
        isPoint = pointSlots != nil
        isEmpty = slotRules.isEmpty && elementRules.isEmpty && indexes.isEmpty && !isPoint
        self.slotRules = slotRules
        self.elementRules = elementRules
        self.indexes = indexes
    }

    /// The rule of a link, or of the links among the elements of a collection; nil if no backlinks
    /// are kept of it.
    func linkRule(ofSlot slot: Int) -> SlotRule? {
        elementRules.first { $0.slot == slot }
            ?? slotRules.first { $0.slot == slot && ($0.kind == .link || $0.kind == .mixedLink) }
    }

    /// Adds what a change of a row asks for: removals for the values before, if there were any, and
    /// additions for the values after, if there are any. What stays the same is left out.
    ///
    /// - Parameters:
    ///   - slot: the only property that changes; nil if all may.
    ///   - skipsIndexes: whether `indexes` are left out, whose entries may take long to make.
    @inline(__always)
    func collect<Before: SlotValues, After: SlotValues>(
        of object: UInt64, changing slot: Int? = nil, from before: Before, to after: After,
        skipsIndexes: Bool = false, into entries: DerivedEntries
    ) {
        for position in slotRules.indices {
            let rule = slotRules[position]
            if let slot, slot != rule.slot { continue }
            let old = Before.isPresent ? before.value(at: rule.slot) : .null
            let new = After.isPresent ? after.value(at: rule.slot) : .null
            if Before.isPresent, After.isPresent, old.isSame(as: new) { continue }
            switch rule.kind {
            case .primaryKey:
                if Before.isPresent { entries.append(.remove, primaryKey: old, rule, of: object) }
                if After.isPresent { entries.append(.enter, primaryKey: new, rule, of: object) }
            case .value:
                if Before.isPresent { entries.append(.remove, old, rule, of: object) }
                if After.isPresent { entries.append(.enter, new, rule, of: object) }
            case .link:
                if Before.isPresent, case .word(let target) = old {
                    entries.append(
                        .countDown, linkTo: UInt64(bitPattern: target), ofType: nil, rule,
                        of: object)
                }
                if After.isPresent, case .word(let target) = new {
                    // A row without anything before it has no other link there to count on.
                    entries.append(
                        Before.isPresent ? .countUp : .enter, linkTo: UInt64(bitPattern: target),
                        ofType: nil, rule, of: object)
                }
            case .mixedLink:
                if Before.isPresent {
                    collect(.countDown, element: old, rule, of: object, into: entries)
                }
                if After.isPresent {
                    collect(.countUp, element: new, rule, of: object, into: entries)
                }
            }
        }
        if !indexes.isEmpty, !skipsIndexes {
            collectIndexes(of: object, changing: slot, from: before, to: after, into: entries)
        }
    }

    @inline(never)
    private func collectIndexes<Before: SlotValues, After: SlotValues>(
        of object: UInt64, changing slot: Int?, from before: Before, to after: After,
        into entries: DerivedEntries
    ) {
        for (position, index) in indexes.enumerated() {
            if let slot, !index.slots.contains(slot) { continue }
            if Before.isPresent, After.isPresent,
                index.slots.allSatisfy({ before.value(at: $0).isSame(as: after.value(at: $0)) })
            {
                continue
            }
            if index.kind.isOfTexts {
                index.addTexts(
                    of: object, from: Before.isPresent ? before.value(at: index.slots[0]) : nil,
                    to: After.isPresent ? after.value(at: index.slots[0]) : nil, .index(position),
                    to: entries)
                continue
            }
            if index.kind == .places {
                if Before.isPresent {
                    index.addPlace(.removePlace, of: object, before, .index(position), to: entries)
                }
                if After.isPresent {
                    index.addPlace(.enterPlace, of: object, after, .index(position), to: entries)
                }
                continue
            }
            if Before.isPresent {
                index.add(.remove, of: object, before, .index(position), to: entries)
            }
            if After.isPresent {
                index.add(.enter, of: object, after, .index(position), to: entries)
            }
            if Before.isPresent, After.isPresent { entries.cancelLastPair() }
        }
    }

    /// Adds the link, if it is one, of an element or of a value of any type.
    func collect(
        _ change: DerivedEntries.Change, element raw: _RawValue, _ rule: SlotRule,
        of object: UInt64, into entries: DerivedEntries
    ) {
        switch raw {
        case .null: return
        case .word(let target):
            guard rule.type == .object else { return }
            entries.append(
                change, linkTo: UInt64(bitPattern: target), ofType: nil, rule, of: object)
        case .bytes(let bytes):
            guard rule.type == .any,
                case .object(let type, let target) = MixedCode.reference(in: bytes)
            else { return }
            entries.append(change, linkTo: target, ofType: type, rule, of: object)
        }
    }
}
