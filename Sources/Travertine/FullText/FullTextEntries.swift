import TravertineStore

/// The entries of a full-text index (Format.md 5.7).
///
/// With positions, each token and object has a posting. Otherwise the 16 objects of a block share
/// the entry of a token: four bits each say how often the object has it. Four objects share an
/// entry with the lengths of their texts.
struct FullTextEntries {
    /// The objects of a token's entry.
    static let blockShift: UInt64 = 4
    /// How often a token occurs, if it is no more often than that.
    static let countMax: UInt64 = 15
    /// The objects of an entry of lengths.
    static let lengthShift: UInt64 = 2
    /// The length of a text, if it is no longer than that.
    static let lengthMax: UInt64 = 0xFFFF

    /// The texts that have a token.
    static let textCount: UInt8 = 0
    /// The tokens of all texts.
    static let tokenCount: UInt8 = 1
    /// The lengths of texts, by blocks.
    static let lengths: UInt8 = 2

    let keyspace: KeyspaceID
    let rule: DerivedRules.Origin
    let hasPositions: Bool

    /// Adds what must change from the tokens that an object had to those that it has.
    func add(
        of object: UInt64, from old: TokenCounts, to new: TokenCounts, to entries: DerivedEntries
    ) {
        var key = IndexKey()
        if hasPositions {
            old.forEach(with: new) { token, before, after in
                if before.count == after.count, before.positions.isSame(as: after.positions) {
                    return
                }
                key.set(token: token)
                key.append(object)
                key.append(raw: after.positions)
                entries.append(.setPosting, rule, keyspace, key, value: after.count)
            }
        } else {
            let shift = 4 * (object & 15)
            old.forEach(with: new) { token, before, after in
                let change = min(after.count, Self.countMax) &- min(before.count, Self.countMax)
                if change == 0 { return }
                key.set(token: token)
                key.append(blockOf: object, shift: Self.blockShift)
                put(key, change << shift, to: entries)
            }
        }
        if old.total == new.total { return }
        key.set(statistic: Self.textCount)
        put(key, UInt64(new.total > 0 ? 1 : 0) &- (old.total > 0 ? 1 : 0), to: entries)
        key.set(statistic: Self.tokenCount)
        put(key, new.total &- old.total, to: entries)
        let change = min(new.total, Self.lengthMax) &- min(old.total, Self.lengthMax)
        key.set(statistic: Self.lengths)
        key.append(blockOf: object, shift: Self.lengthShift)
        put(key, change << (16 * (object & 3)), to: entries)
    }

    private func put(_ key: IndexKey, _ change: UInt64, to entries: DerivedEntries) {
        if change == 0 { return }
        entries.append(.addBits, rule, keyspace, key, value: change)
    }
}
