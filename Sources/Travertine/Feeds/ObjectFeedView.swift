import TravertineStore

/// One version of a realm, as a feed shows its objects.
struct ObjectFeedView {
    let snapshot: Snapshot
    /// All types of the version.
    let types: [FeedType]
    /// The number of the schema that they are from.
    let schemaNumber: UInt64
    private let stored: StoredTypes
    private let session: RealmSession
    /// Those that are shown, by number.
    private var shown: [UInt32: FeedType] = [:]

    /// - Parameters:
    ///   - known: types that were shown before: those that did not change stay the same objects.
    ///   - names: the stored names of those that are shown; nil for all.
    init(
        _ shared: SharedStore, _ configuration: Realm.Configuration, _ snapshot: Snapshot,
        _ known: [FeedType], _ names: Set<String>?
    ) throws {
        self.snapshot = snapshot
        let stored = try shared.storedTypesCache.types(of: snapshot)
        self.stored = stored
        schemaNumber = stored.number
        let knownByNumber = Dictionary(known.map { ($0.number, $0) }) { first, _ in first }
        let types = stored.numbers.compactMap { stored[$0] }.map { description in
            let type = FeedType(description)
            return knownByNumber[type.number].flatMap { $0 == type ? $0 : nil } ?? type
        }
        self.types = types
        session = FrozenVersion(shared, configuration, snapshot, isWithoutClasses: true)
            .makeSession()
        for type in types where !type.isEmbedded && names?.contains(type.name) ?? true {
            shown[type.number] = type
        }
    }

    /// The LSN up to which asymmetric objects of the types that are shown may be gone, because
    /// consumers of feeds had acknowledged them; 0 if none is.
    var deliveredLSN: UInt64 {
        get throws {
            let numbers = shown.values.filter(\.isAsymmetric).map(\.number)
            if numbers.isEmpty { return 0 }
            return try DeliveredObjects(session)?.lsn(ofTypes: numbers) ?? 0
        }
    }

    /// Shows all objects, type by type, in the order of their keys.
    func showAll(_ body: (ObjectFeedEvent) throws -> Void) throws {
        for type in types where shown[type.number] != nil {
            guard let table = session.table(number: type.number) else { continue }
            let reader = DocumentReader(session: session)
            var cursor = try session.access.cursor(in: type.rows)
            var isValid = try cursor.seekToFirst()
            while isValid {
                let key = cursor.withKey { objectKey(in: $0, at: 0) }
                guard let document = try reader.document(key, in: table) else {
                    throw table.damagedRow()
                }
                try body(.put(FeedObject(type: type, key: key, document: document)))
                isValid = try cursor.next()
            }
        }
    }

    /// Shows what became of some objects: type by type, in the order of their keys, each once.
    func show(_ touched: TouchedObjects, _ body: (ObjectFeedEvent) throws -> Void) throws {
        let keys = try withOwners(touched.changesSchema ? withSources(touched.keys) : touched.keys)
        for type in types where shown[type.number] != nil {
            guard let found = keys[type.number], let table = session.table(number: type.number)
            else { continue }
            let reader = DocumentReader(session: session)
            var last: UInt64?
            for key in found.sorted() where key != last {
                last = key
                if let document = try reader.document(key, in: table) {
                    try body(.put(FeedObject(type: type, key: key, document: document)))
                } else if !type.isAsymmetric {
                    try body(.delete(DeletedFeedObject(type: type, key: key)))
                }
            }
        }
    }

    /// Adds the objects that link to objects whose primary keys may be others than before: a
    /// migration may change them, and no row that links to them changes with that (O33).
    private func withSources(_ touched: [UInt32: [UInt64]]) throws -> [UInt32: [UInt64]] {
        var keys = touched
        let access = try session.access
        for (number, targets) in touched {
            guard let target = stored[number]?.stored, target.keyKind == .assigned
            else { continue }
            for type in stored.schema.types {
                for property in type.properties
                where property.backlinks != .absent && property.leads(to: target.name) {
                    var cursor = access.cursor(in: property.backlinks)
                    for key in Set(targets) {
                        let prefix =
                            (property.type == .any
                                ? withUnsafeBytes(of: number.bigEndian, Array.init) : [])
                            + withUnsafeBytes(of: key.bigEndian, Array.init)
                        var isValid = try prefix.withBytes { (prefix) throws(StoreError) in
                            try cursor.seek(atOrAfter: prefix)
                        }
                        while isValid, cursor.withKey({ $0.starts(with: prefix) }) {
                            keys[type.number, default: []].append(
                                cursor.withKey { objectKey(in: $0, at: prefix.count) })
                            isValid = try cursor.next()
                        }
                    }
                }
            }
        }
        return keys
    }

    /// Adds the owners of embedded objects, and the owners of these: they are shown with them.
    ///
    /// One that is not there any more needs none: what owned it changed, or is gone.
    private func withOwners(_ touched: [UInt32: [UInt64]]) throws -> [UInt32: [UInt64]] {
        var keys = touched
        let search = OwnerSearch(access: try session.access, types: stored)
        var waiting = touched.filter { stored[$0.key]?.stored.isEmbedded ?? false }
        while let (type, objects) = waiting.popFirst() {
            let properties = search.owningProperties(ofType: type)
            var last: UInt64?
            for object in objects.sorted() where object != last {
                last = object
                guard let owner = try search.owner(of: object, type, properties) else { continue }
                keys[owner.type, default: []].append(owner.key)
                if stored[owner.type]?.stored.isEmbedded ?? false {
                    waiting[owner.type, default: []].append(owner.key)
                }
            }
        }
        return keys
    }
}
