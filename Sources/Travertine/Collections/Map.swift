import CPlatform

/// Values or objects under string keys, as a property of an object.
///
/// ```swift
/// class City: Object {
///     @Persisted var names: Map<String, String>
///     @Persisted var sisters: Map<String, City?>
/// }
/// ```
/// Unmanaged, it is a dictionary by reference. Managed, it reads and changes the stored entries;
/// changes need a write transaction. Entries are stored in the order of the bytes of their keys, so
/// that looking one up costs the logarithm of their number. Any text is a key.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    private(set) var entries: [Key: Value] = [:] {
        didSet { orderedEntries = nil }
    }
    /// The entries of an unmanaged map in order, once they were read in order.
    private var orderedEntries: [(key: Key, value: Value)]?
    private(set) var anchor: CollectionAnchor?

    /// An empty unmanaged map.
    public init() {}

    /// An unmanaged map.
    init(entries: [Key: Value]) { self.entries = entries }

    deinit {
        if anchor != nil || travertine_releases_wait() == 0 { return }
        var held: [Any] = [entries, orderedEntries as Any]
        (entries, orderedEntries) = ([:], nil)
        PendingReleases.release(&held)
    }

    /// The realm of a managed map.
    public var realm: Realm? { anchor.map { Realm($0.session) } }

    /// Whether the object that the map belongs to was deleted.
    public var isInvalidated: Bool { anchor?.isInvalidated ?? false }

    /// The number of entries.
    public var count: Int {
        guard let anchor else { return entries.count }
        return anchor.read(0) { try $0.count() }
    }

    /// Whether there are no entries.
    public var isEmpty: Bool { count == 0 }

    /// The keys, in the order of their bytes.
    public var keys: [Key] { allEntries().map(\.key) }

    /// The values, in the order of the bytes of their keys.
    public var values: [Value] { allEntries().map(\.value) }

    /// Every entry, in the order of the bytes of the keys.
    func allEntries() -> [(key: Key, value: Value)] {
        guard let anchor else {
            if let orderedEntries { return orderedEntries }
            let ordered = entries.map { (key: $0.key, value: $0.value) }.sorted {
                $0.key._text.utf8.lexicographicallyPrecedes($1.key._text.utf8)
            }
            orderedEntries = ordered
            return ordered
        }
        return anchor.read([]) { storage in
            var found: [(key: Key, value: Value)] = []
            try storage.visitElements { element in
                let key = Key(_text: String(decoding: element.key, as: UTF8.self))
                if let value = Value.stored(element.value, at: storage) {
                    found.append((key, value))
                }
                return true
            }
            return found
        }
    }

    func bind(_ anchor: CollectionAnchor) {
        self.anchor = anchor
        entries = [:]
    }

    // MARK: Single entries

    /// The value under a key; nil if there is none. Setting nil removes the entry.
    public subscript(key: Key) -> Value? {
        get {
            guard let anchor else { return entries[key] }
            return anchor.read(nil) { storage in
                var found: Value?
                try Self.withUTF8(key) { bytes in
                    _ = try storage.position(of: RunElement(key: bytes, value: .null)) {
                        found = Value.stored($0.value, at: storage)
                    }
                }
                return found
            }
        }
        set {
            if let newValue { set(newValue, key) } else { removeObject(for: key) }
        }
    }

    /// Puts a value under a key.
    public func updateValue(_ value: Value, forKey key: Key) { set(value, key) }

    private func set(_ value: Value, _ key: Key) {
        guard let anchor else {
            entries[key] = value
            return
        }
        anchor.change(()) { storage in
            try value.withElement(at: storage) { raw in
                try Self.withUTF8(key) { _ = try storage.put(RunElement(key: $0, value: raw)) }
            }
        }
    }

    /// Removes the entry of a key if there is one.
    public func removeObject(for key: Key) {
        guard let anchor else {
            entries[key] = nil
            return
        }
        anchor.change(()) { storage in
            try Self.withUTF8(key) {
                _ = try storage.remove(RunElement(key: $0, value: .null))
            }
        }
    }

    /// Removes every entry; objects that it links to stay.
    public func removeAll() {
        guard let anchor else {
            entries.removeAll()
            return
        }
        anchor.change(()) { try $0.replace(0..<$0.count(), with: ElementBatch()) }
    }

    private static func withUTF8<Result>(
        _ key: Key, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        var text = key._text
        return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }

    // MARK: Many entries

    /// Whether `predicate` is true for an entry.
    public func contains(where predicate: (Key, Value) throws -> Bool) rethrows -> Bool {
        try allEntries().contains { try predicate($0.key, $0.value) }
    }

    /// The entries for which `predicate` is true; the last of those whose keys are equal as
    /// strings though not as bytes.
    public func filter(
        _ predicate: ((key: Key, value: Value)) throws -> Bool
    ) rethrows -> [Key: Value] {
        Dictionary(try allEntries().filter(predicate).map { ($0, $1) }) { _, last in last }
    }

    /// The entries as a sequence of pairs.
    public func asKeyValueSequence() -> [(key: Key, value: Value)] { allEntries() }

    /// Replaces all entries by those of another map.
    public func assign(_ other: Map) {
        if other === self || anchor.map({ other.anchor?.isSame(as: $0) == true }) == true { return }
        replaceAll(with: other.allEntries())
    }

    private func replaceAll(with newEntries: [(key: Key, value: Value)]) {
        guard let anchor else {
            entries = Dictionary(newEntries.map { ($0.key, $0.value) }) { _, last in last }
            return
        }
        anchor.change(()) { storage in
            let batch = Self.encode(newEntries, at: storage)
            if let failure = anchor.session.failure { throw failure }
            try storage.replace(0..<storage.count(), with: batch)
        }
    }

    static func encode(
        _ entries: some Collection<(key: Key, value: Value)>, at storage: CollectionStorage
    ) -> ElementBatch {
        if Value._hasEmbeddedForm {
            var claimed = ClaimedEmbeddedObjects()
            let links = entries.map {
                (key: $0.key, value: claimed.claim($0.value._makeEmbeddedForm()))
            }
            return Map<Key, ObjectBase?>.encode(links, at: storage)
        }
        let run = storage.run
        let variation = storage.session.counts.variationCount
        var batch = ElementBatch()
        for (key, value) in entries {
            value._withElement(at: storage) { raw in
                if storage.session.counts.variationCount != variation { return }
                withUTF8(key) { run.append(key: $0, raw, to: &batch.bytes) }
                batch.count += 1
            }
        }
        // As in `List.encode`.
        if storage.session.counts.variationCount != variation {
            return encode(entries, at: storage)
        }
        return run.sorted(batch)
    }
}

extension Map: Sequence {
    /// An iterator over the entries as they are now.
    public func makeIterator() -> IndexingIterator<[SingleMapEntry<Key, Value>]> {
        allEntries().map { SingleMapEntry(key: $0.key, value: $0.value) }.makeIterator()
    }
}

extension Map: _StoredCollection {
    /// A map of the value's type.
    public static var _collectionType: _StoredType {
        var type = Value._elementType
        type.collection = .map
        return type
    }

    /// Makes the map the stored one of an object's property.
    public func _bind(to storage: _CollectionStorage) {
        bind(CollectionAnchor(storage))
    }

    /// Nothing of a map is traced.
    public func _attach(_ tracer: AnyObject) {}

    /// Stores the entries of an unmanaged map with their backlinks.
    public func _store(in storage: _CollectionStorage) throws -> [UInt8]? {
        try storage.store(Self.encode(entries.map { ($0.key, $0.value) }, at: storage))
    }

    /// Replaces the entries.
    public func _replaceAll(with other: Map) { assign(other) }

    /// Replaces the entries by those of a dictionary.
    public func _replaceAll(withAny value: Any) -> Bool {
        if isSameCollection(as: value) { return true }
        guard let values = value as? [String: Any] else { return false }
        var made: [(key: Key, value: Value)] = []
        for (key, value) in values {
            guard let element = Value._makeElement(from: value) else { return false }
            made.append((Key(_text: key), element))
        }
        replaceAll(with: made)
        return true
    }

    /// The embedded objects that are to be stored in place of an unmanaged map's values.
    public static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        guard Value._hasEmbeddedForm else { return nil }
        return unmanagedValue(storage).entries.map { ($0.key._text, $0.value._makeEmbeddedForm()) }
    }

    /// Hands the objects in an unmanaged map to `body`.
    public func _forEachObject(_ body: (ObjectBase) -> Void) {
        for value in entries.values {
            value._forEachObject(body)
        }
    }
}

extension Map: UntypedCollection {
    /// What the map holds.
    var contents: CollectionContents {
        .entries(allEntries().map { ($0.key._text, $0.value as Any) })
    }
}

extension Map: CustomStringConvertible, ExpressibleByDictionaryLiteral {
    /// An unmanaged map of these entries.
    public convenience init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(entries: Dictionary(elements) { _, last in last })
    }

    /// The entries with their keys, the first 100 of them.
    public var description: String { description(depth: 0) }
}

extension Map: Equatable {
    /// Whether both are the same map; if one is unmanaged, whether they have equal entries.
    public static func == (left: Map, right: Map) -> Bool {
        if let anchor = left.anchor, let other = right.anchor { return anchor.isSame(as: other) }
        return left.isEqual(to: right) { $0.isSame(as: $1) }
    }

    /// Whether both have equal entries. A managed map that was deleted is equal to itself only.
    func isEqual(to other: Map, by areEqual: (Value, Value) -> Bool) -> Bool {
        if self === other { return true }
        guard anchor?.isInvalidated != true, other.anchor?.isInvalidated != true,
            count == other.count
        else { return false }
        // Both are in the order of the bytes of their keys.
        return allEntries().elementsEqual(other.allEntries()) {
            $0.key._text.utf8.elementsEqual($1.key._text.utf8) && areEqual($0.value, $1.value)
        }
    }
}
