/// The handles of a table's objects that were made last, while a loop over results or a `write` block
/// goes on: one that nobody refers to any more becomes the handle of the next object that is looked
/// up, as iterators' handles do (`HandleReuse`).
///
/// Two of them, so that a walk, which holds one object while it looks for the next, finds the other
/// free. They refer to the realm, and the realm to them: whoever begins to keep handles ends it
/// (`RealmSession.endReuse`), else neither would ever go.
struct RecentHandles {
    /// A handle and its address, which can be had without another reference to it.
    private struct Kept {
        var handle: ObjectBase?
        var address: UnsafeRawPointer?

        init(_ handle: ObjectBase? = nil) {
            self.handle = handle
            address = handle.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        }

        /// Whether nobody else refers to the handle, not even weakly.
        @inline(__always)
        mutating func isFree(_ soleWord: UInt) -> Bool {
            guard let address, isKnownUniquelyReferenced(&handle) else { return false }
            return SoleReference.word(at: address) == soleWord
        }
    }

    private var last = Kept()
    private var other = Kept()
    private let soleWord = SoleReference.soleWord
    private let collections: RememberedCollections
    /// The class of the handles; nil if its handles can't stand for several objects.
    private let type: ObjectIdentifier?

    init(_ info: ClassInfo?) {
        type = info?.isHandleOnly == true ? info.map { ObjectIdentifier($0.type) } : nil
        collections = RememberedCollections(info)
    }

    /// Whether there are any.
    var hasHandles: Bool { last.handle != nil || other.handle != nil }

    /// Whether handles of a class are kept here. All that are kept are of exactly this class.
    @inline(__always)
    func keeps(_ type: ObjectBase.Type) -> Bool { self.type == ObjectIdentifier(type) }

    /// A handle that is free for another object, or nil.
    @inline(__always)
    mutating func take() -> ObjectBase? {
        if !last.isFree(soleWord) {
            swap(&last, &other)
            guard last.isFree(soleWord) else { return nil }
        }
        guard let handle = last.handle else { return nil }
        collections.forget(in: handle)
        return handle
    }

    /// Keeps a handle that was made because there was none, in place of the older one.
    mutating func keep(_ handle: ObjectBase) { last = Kept(handle) }

    /// Forgets the handles.
    mutating func removeAll() {
        last = Kept()
        other = Kept()
    }
}

extension RealmSession {
    /// Lets handles that nobody refers to any more stand for other objects, until `endReuse`. Whoever
    /// calls this keeps the realm until then. May be nested.
    func beginReuse() { reuseDepth += 1 }

    /// Ends what `beginReuse` began.
    func endReuse() {
        reuseDepth -= 1
        if reuseDepth == 0 { forgetRecentHandles() }
    }

    /// Forgets the handles that could stand for other objects.
    func forgetRecentHandles() {
        for table in keepers {
            table.recent.removeAll()
            table.known = RowAddressCache(rowCount: 0)
            table.knownGeneration = 0
        }
        keepers.removeAll(keepingCapacity: true)
    }

    /// A handle of a row: one that is free, or else a new one.
    func handle<Model: ObjectBase>(
        _ type: Model.Type, key: UInt64, in table: ObjectTable, _ row: UnsafeRawBufferPointer
    ) -> Model {
        guard reuseDepth > 0, table.recent.keeps(type) else {
            let object = type.newInstance()
            object.bind(to: self, table, key: key, row: row)
            return object
        }
        if let free = table.recent.take() {
            free.key = key
            free.isStaged = false
            _ = point(free, to: row, table)
            // It is of exactly this class (`RecentHandles.keeps`).
            return unsafeDowncast(free, to: type)
        }
        let object = type.newInstance()
        object.bind(to: self, table, key: key, row: row)
        keep(object, in: table)
        return object
    }

    /// A handle of a row of the write transaction that is read when it is first used: in a write most
    /// objects are looked up to be linked to, or changed, which reads the row in its own way.
    func handle<Model: ObjectBase>(
        _ type: Model.Type, key: UInt64, in table: ObjectTable, at place: UInt64
    ) -> Model {
        let isKept = reuseDepth > 0 && table.recent.keeps(type)
        if isKept, let free = table.recent.take() {
            free.key = key
            free.isStaged = false
            locate(free, at: place)
            return unsafeDowncast(free, to: type)
        }
        let object = type.newInstance()
        object.bind(to: self, table, key: key)
        if table.hasUnwrappedProperties { object.bindUnwrappedProperties() }
        locate(object, at: place)
        if isKept { keep(object, in: table) }
        return object
    }

    @inline(never)
    private func keep(_ object: ObjectBase, in table: ObjectTable) {
        if !table.recent.hasHandles { keepers.append(table) }
        table.recent.keep(object)
    }
}
