import TravertineStore

/// An index over several properties, a unique one, or one of words or places, ready to make the
/// entries of rows.
struct TableIndex: Sendable {
    let kind: StoredIndex.Kind
    let keyspace: KeyspaceID
    let slots: [Int]
    /// The types of the properties, in the order of the slots.
    private let types: [PropertyType]
    /// The most bytes of a string or of data that an entry has.
    let prefixByteCountMax: Int

    /// The most bytes that all values of an entry take: a key has 512, an object key 8.
    static let valueByteCountMax = 504

    /// Nil if the table lacks one of the properties.
    init?(_ index: StoredIndex, _ properties: [StoredProperty]) {
        let slots = index.properties.compactMap { number in
            properties.firstIndex { $0.number == number }
        }
        guard slots.count == index.properties.count, !slots.isEmpty else { return nil }
        kind = index.kind
        keyspace = index.keyspace
        self.slots = slots
        types = slots.map { properties[$0].type }
        // Tag and end take three bytes, and each byte of the value up to two.
        prefixByteCountMax = min(
            IndexKey.prefixByteCountMax, (Self.valueByteCountMax / slots.count - 3) / 2)
    }

    /// Adds the values of the first properties to a key.
    func append(
        first count: Int, to key: inout IndexKey, _ value: (Int) -> _RawValue
    ) {
        for (type, slot) in zip(types, slots).prefix(count) {
            key.append(value(slot), type: type, prefixByteCountMax: prefixByteCountMax)
        }
    }

    // MARK: Entries

    /// Adds the entry of an object's values; not for an index of words.
    func add(
        _ change: DerivedEntries.Change, of object: UInt64, _ values: some SlotValues,
        _ rule: DerivedRules.Origin, to entries: DerivedEntries
    ) {
        var key = IndexKey()
        append(first: slots.count, to: &key) { values.value(at: $0) }
        let hasNull = zip(types, slots).contains { Self.isNull(values.value(at: $1), $0) }
        let isUnique = kind == .uniqueValues && !hasNull
        let sharedByteCount = isUnique && key.isCut ? key.bytes.count : 0
        if !isUnique || key.isCut { key.append(object) }
        entries.append(
            change, rule, keyspace, key, value: object, isUnique: isUnique,
            sharedByteCount: sharedByteCount)
    }

    /// Adds the changes of the entries of a text, of an index of full text.
    func addTexts(
        of object: UInt64, from old: _RawValue?, to new: _RawValue?, _ rule: DerivedRules.Origin,
        to entries: DerivedEntries
    ) {
        guard let tokenizer = kind.tokenizer else {
            return addWords(of: object, from: old, to: new, rule, to: entries)
        }
        func tokens(_ raw: _RawValue?) -> TokenCounts {
            guard case .bytes(let text) = raw else { return TokenCounts() }
            return TokenCounts(of: text, tokenizer, withPositions: kind.hasPositions)
        }
        FullTextEntries(keyspace: keyspace, rule: rule, hasPositions: kind.hasPositions).add(
            of: object, from: tokens(old), to: tokens(new), to: entries)
    }

    /// Adds the entries of the words that are in one text and not, or not as often, in the other,
    /// of an index of an earlier version.
    private func addWords(
        of object: UInt64, from old: _RawValue?, to new: _RawValue?, _ rule: DerivedRules.Origin,
        to entries: DerivedEntries
    ) {
        let (before, after) = (Self.words(of: old), Self.words(of: new))
        var key = IndexKey()
        for (word, count) in before where after[word] != count {
            key.set(word: word)
            key.append(object)
            entries.append(.remove, rule, keyspace, key, value: count)
        }
        for (word, count) in after where before[word] != count {
            key.set(word: word)
            key.append(object)
            entries.append(.enter, rule, keyspace, key, value: count)
        }
    }

    /// Adds the entry of the point that a link leads to, if it leads to an object.
    func addPlace(
        _ change: DerivedEntries.Change, of object: UInt64, _ values: some SlotValues,
        _ rule: DerivedRules.Origin, to entries: DerivedEntries
    ) {
        guard let link = PlaceLink(values.value(at: slots[0])) else { return }
        entries.append(
            change, placeOf: link.target, ofType: link.type, rule, keyspace, object: object)
    }

    private static func words(of raw: _RawValue?) -> [String: UInt64] {
        guard case .bytes(let bytes) = raw else { return [:] }
        return WordSplitter.words(of: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a value is nil; a value of any type is then no bytes.
    private static func isNull(_ raw: _RawValue, _ type: PropertyType) -> Bool {
        switch raw {
        case .null: true
        case .word: false
        case .bytes(let bytes): type == .any && bytes.isEmpty
        }
    }

    // MARK: Values that were cut

    /// The values of an object, to be compared with those of others whose entries are cut alike.
    func values(of values: some SlotValues) -> [RawConstant] {
        slots.map { RawConstant(values.value(at: $0)) }
    }

    /// Whether an object has values that are those of an entry that was cut; what is in the entry
    /// is the same already.
    func hasSame(_ wanted: [RawConstant], as values: some SlotValues) -> Bool {
        zip(slots.indices, wanted).allSatisfy { position, wanted in
            wanted.withRaw { wanted in
                guard case .bytes(let left) = wanted,
                    case .bytes(let right) = values.value(at: slots[position])
                else { return true }
                return types[position] == .any
                    ? MixedCode.order(left, right) == 0 : left.isSame(as: right)
            }
        }
    }

    /// A hash that objects with the same values share.
    func hash(_ values: [RawConstant]) -> Int {
        var hasher = Hasher()
        // Numbers are in the entries whole, and values of any type that are equal may be stored in
        // several ways.
        for (type, value) in zip(types, values) where type != .any {
            value.withRaw { raw in
                if case .bytes(let bytes) = raw { hasher.combine(bytes: bytes) }
            }
        }
        return hasher.finalize()
    }

    /// The error for two objects with the same values.
    func violation(
        _ typeName: String, _ properties: [StoredProperty], _ values: [RawConstant]? = nil
    ) -> Realm.Error {
        let names = slots.map { "'\(properties[$0].name)'" }.joined(separator: ", ")
        let texts = values.map { values in
            zip(slots, values).map { properties[$0].text(of: $1) }.joined(separator: ", ")
        }
        return Realm.Error(
            .uniqueViolation,
            "Two objects of type '\(typeName)' have the same values of \(names)"
                + (texts.map { " (\($0))" } ?? "")
                + ", over which there is a unique index. Delete or change one of them first.")
    }
}
