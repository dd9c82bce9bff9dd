/// The handles of a table's objects that were made last, while a loop over results or a `write`
/// block runs: one that nobody refers to any more becomes the handle of the next object that is
/// looked up, as iterators' handles do (`HandleRecycler`).
///
/// There are two, so that a walk, which holds one object while it looks for the next, finds the
/// other free. They refer to the realm, and the realm to them: code that calls
/// `RealmSession.beginReuse` must call `endReuse`, or neither would ever be released.
struct HandleCache {
    private var last = SpareHandle()
    private var other = SpareHandle()
    private let uniqueWord = UniqueReference.uniqueWord
    let collections: CachedCollections
    /// The class of the handles; nil if its handles can't be those of several objects.
    private let type: ObjectIdentifier?

    init(_ info: ClassInfo?) {
        type = info?.isHandleOnly == true ? info.map { ObjectIdentifier($0.type) } : nil
        collections = CachedCollections(info)
    }

    /// Whether there are any.
    var hasHandles: Bool { !last.isEmpty || !other.isEmpty }

    /// Whether handles of a class are cached here. All that are cached are of exactly this class.
    @inline(__always)
    func caches(_ type: ObjectBase.Type) -> Bool { self.type == ObjectIdentifier(type) }

    /// A handle that is free for another object, or nil.
    @inline(__always)
    mutating func take() -> ObjectBase? {
        if !last.isFree(uniqueWord) {
            swap(&last, &other)
            guard last.isFree(uniqueWord) else { return nil }
        }
        guard let handle = last.handle else { return nil }
        collections.forget(in: handle)
        return handle
    }

    /// Caches a handle that was made because none was free, in place of the older one.
    mutating func insert(_ handle: ObjectBase) { last = SpareHandle(handle) }

    /// Releases the handles.
    mutating func removeAll() {
        last = SpareHandle()
        other = SpareHandle()
    }
}

extension RealmSession {
    /// Lets handles that nobody refers to any more become those of other objects, until `endReuse`.
    /// The caller must hold the realm until then. May be nested.
    func beginReuse() { recycling.depth += 1 }

    /// Ends what `beginReuse` began.
    func endReuse() {
        recycling.depth -= 1
        if recycling.depth == 0 { clearHandleCaches() }
    }

    /// Releases the handles that could become those of other objects.
    func clearHandleCaches() {
        for table in recycling.tables {
            table.recent.removeAll()
            table.known = RowAddressCache(rowCount: 0)
            table.knownGeneration = 0
        }
        recycling.tables.removeAll(keepingCapacity: true)
    }

    /// A handle of a row: one that is free, or else a new one.
    func handle<Model: ObjectBase>(
        _ type: Model.Type, key: UInt64, in table: TableState, _ row: UnsafeRawBufferPointer
    ) -> Model {
        guard recycling.depth > 0, table.recent.caches(type) else {
            let object = type.newInstance()
            object.bind(to: self, table, key: key, row: row)
            return object
        }
        if let free = table.recent.take() {
            free.key = key
            free.isStaged = false
            _ = point(free, to: row, table)
            // It is of exactly this class (`HandleCache.caches`).
            return unsafeDowncast(free, to: type)
        }
        let object = type.newInstance()
        object.bind(to: self, table, key: key, row: row)
        cache(object, in: table)
        return object
    }

    /// A handle of a row of the write transaction that is read when it is first used: in a write
    /// most objects are looked up to be linked to, or changed, which reads the row in its own way.
    func handle<Model: ObjectBase>(
        _ type: Model.Type, key: UInt64, in table: TableState, at location: UInt64
    ) -> Model {
        let isCached = recycling.depth > 0 && table.recent.caches(type)
        if isCached, let free = table.recent.take() {
            free.key = key
            free.isStaged = false
            locate(free, at: location)
            return unsafeDowncast(free, to: type)
        }
        let object = type.newInstance()
        object.bind(to: self, table, key: key)
        if table.hasUnwrappedProperties { object.bindUnwrappedProperties() }
        locate(object, at: location)
        if isCached { cache(object, in: table) }
        return object
    }

    @inline(never)
    private func cache(_ object: ObjectBase, in table: TableState) {
        if !table.recent.hasHandles { recycling.tables.append(table) }
        table.recent.insert(object)
    }
}
