import TravertineStore

/// An index of a type, ready to make the entries of rows.
struct TableIndex {
    let kind: StoredIndex.Kind
    let keyspace: UInt32
    let slots: [Int]
    /// The types of the properties, in the order of the slots.
    private let types: [PropertyType]
    /// The most bytes of a string or of data that an entry has.
    private let prefixByteCountMax: Int

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

    /// Adds the entries of an object, whose values `value` tells by slot.
    func addEntries(
        of object: UInt64, to entries: inout [IndexEntry], _ value: (Int) -> _RawValue
    ) {
        var key = IndexKey()
        if kind == .words {
            guard case .bytes(let bytes) = value(slots[0]) else { return }
            let words = WordSplitter.words(of: String(decoding: bytes, as: UTF8.self))
            for (word, count) in words {
                key.set(word: word)
                key.append(object)
                entries.append(IndexEntry(keyspace: keyspace, key: key.bytes, value: count))
            }
            return
        }
        append(first: slots.count, to: &key, value)
        var entry = IndexEntry(keyspace: keyspace, key: key.bytes, value: object)
        let hasNull = zip(types, slots).contains { Self.isNull(value($1), $0) }
        if kind == .values || hasNull || key.isCut {
            key.append(object)
            entry.key = key.bytes
        }
        if kind == .uniqueValues, !hasNull {
            entry.uniqueness =
                key.isCut
                ? .compared(
                    prefixByteCount: key.bytes.count - 8, slots.map { StoredDefault(value($0)) })
                : .byKey
        }
        entries.append(entry)
    }

    /// Whether a value is nil; a value of any type is then no bytes.
    private static func isNull(_ raw: _RawValue, _ type: PropertyType) -> Bool {
        switch raw {
        case .null: true
        case .word: false
        case .bytes(let bytes): type == .any && bytes.isEmpty
        }
    }

    /// Whether an object has values that are those of an entry that was cut; what stands in the
    /// entry is the same already.
    func hasSame(_ values: [StoredDefault], _ value: (Int) -> _RawValue) -> Bool {
        zip(slots.indices, values).allSatisfy { place, wanted in
            wanted.withRaw { wanted in
                guard case .bytes(let left) = wanted, case .bytes(let right) = value(slots[place])
                else { return true }
                return types[place] == .any
                    ? MixedCode.order(left, right) == 0 : left.isSame(as: right)
            }
        }
    }

    /// A hash that objects with the same values share.
    func hash(_ values: [StoredDefault]) -> Int {
        var hasher = Hasher()
        // Numbers stand in the entries whole, and values of any type that are equal may be stored in
        // several ways.
        for (type, value) in zip(types, values) where type != .any {
            value.withRaw { raw in
                if case .bytes(let bytes) = raw { hasher.combine(bytes: bytes) }
            }
        }
        return hasher.finalize()
    }

    /// The error for two objects with the same values.
    func violation(_ typeName: String, _ properties: [StoredProperty]) -> Realm.Error {
        let names = slots.map { "'\(properties[$0].name)'" }.joined(separator: ", ")
        return Realm.Error(
            .uniqueViolation,
            "Two objects of type '\(typeName)' have the same values of \(names), over which there "
                + "is a unique index. Delete or change one of them first.")
    }
}

/// An entry of an index.
struct IndexEntry: Equatable {
    /// What has to be looked at so that no other object has the same values.
    enum Uniqueness: Equatable {
        /// Nothing: objects may be alike.
        case none
        /// The entry itself.
        case byKey
        /// The rows of the entries that begin alike, because values were cut.
        case compared(prefixByteCount: Int, [StoredDefault])
    }

    var keyspace: UInt32
    var key: [UInt8]
    var value: UInt64
    var uniqueness = Uniqueness.none

    /// Whether both are stored alike.
    func isSame(as other: IndexEntry) -> Bool {
        keyspace == other.keyspace && value == other.value && key == other.key
    }
}

extension IndexEntry {
    /// The key that an object's entry has beside that of another object with the same values.
    func key(behind object: UInt64) -> [UInt8] {
        key + withUnsafeBytes(of: object.bigEndian, Array.init)
    }
}
