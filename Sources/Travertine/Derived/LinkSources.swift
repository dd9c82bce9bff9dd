import TravertineStore

/// A property that links to the objects of a table.
struct LinkSource {
    // Not counted: a table may link to itself, and the realm keeps all of its tables (`tables`).
    private let reference: Unmanaged<TableState>
    let slot: Int
    /// The keyspace of its backlinks.
    let backlinks: KeyspaceID
    /// Whether it can hold values of any type, so that backlinks begin with the target's type.
    let isAny: Bool
    /// Whether its value is the target's key and nothing else.
    let isPlain: Bool

    fileprivate init(_ table: TableState, _ slot: Int) {
        let property = table.properties[slot]
        reference = Unmanaged.passUnretained(table)
        self.slot = slot
        backlinks = property.backlinks
        isAny = property.type == .any
        isPlain = property.collection == .none && property.type != .any
    }

    /// The table of the objects that link.
    var table: TableState { reference.takeUnretainedValue() }
}

/// The properties that link to the objects of a table, and as of which schema.
struct LinkSources {
    fileprivate var sources: [LinkSource] = []
    fileprivate var schemaChangeCount = UInt64.max
    fileprivate var tableChangeCount = UInt64.max
}

/// Finding what links to an object.
extension RealmSession {
    /// The properties that link to the objects of a table.
    func linkSources(to table: TableState) -> [LinkSource] {
        let schemaChangeCount = shared.schemaChangeCount.load(ordering: .acquiring)
        if table.linkSources.schemaChangeCount == schemaChangeCount,
            table.linkSources.tableChangeCount == counts.tableChangeCount
        {
            return table.linkSources.sources
        }
        var found = LinkSources()
        for (type, number) in linkingProperties(to: table.stored.name) {
            guard let source = self.table(number: type), let slot = source.slot(ofProperty: number)
            else { continue }
            found.sources.append(LinkSource(source, slot))
        }
        // Tables that were made just now are counted: they are what was found.
        found.schemaChangeCount = schemaChangeCount
        found.tableChangeCount = counts.tableChangeCount
        table.linkSources = found
        return found.sources
    }

    /// The keys of the objects that link to an object by one property, and how often each does.
    func backlinks(
        to target: UInt64, in table: TableState, _ property: StoredProperty
    ) throws -> [(source: UInt64, count: Int)] {
        var keys: [(source: UInt64, count: Int)] = []
        let type: UInt32? = property.type == .any ? table.stored.number : nil
        try appendBacklinks(to: target, ofType: type, in: property.backlinks, to: &keys)
        return keys
    }

    /// Adds the keys of the objects that link to an object by one property, and how often each
    /// does.
    func appendBacklinks(
        to target: UInt64, in table: TableState, _ source: LinkSource,
        to keys: inout [(source: UInt64, count: Int)]
    ) throws {
        try appendBacklinks(
            to: target, ofType: source.isAny ? table.stored.number : nil, in: source.backlinks,
            to: &keys)
    }

    private func appendBacklinks(
        to target: UInt64, ofType type: UInt32?, in keyspace: KeyspaceID,
        to keys: inout [(source: UInt64, count: Int)]
    ) throws {
        if keyspace == .absent { return }
        // The target's type, where it can vary, and its key.
        var words = (
            (type ?? 0).bigEndian, UInt32(truncatingIfNeeded: target >> 32).bigEndian,
            UInt32(truncatingIfNeeded: target).bigEndian
        )
        let access = try access
        try withUnsafeBytes(of: &words) { (words) throws(StoreError) in
            let prefix = UnsafeRawBufferPointer(rebasing: words[(type == nil ? 4 : 0)...])
            let start = keys.count
            let isComplete = try access.visitNear(beginningWith: prefix, in: keyspace) {
                keys.append((objectKey(in: $0, at: prefix.count), Int(clamping: $1)))
            }
            if isComplete { return }
            keys.removeSubrange(start...)
            var cursor = access.cursor(in: keyspace)
            var isValid = try cursor.seek(atOrAfter: prefix)
            while isValid, cursor.withKey({ $0.begins(with: prefix) }) {
                let source = cursor.withKey { objectKey(in: $0, at: prefix.count) }
                keys.append((source, Int(clamping: cursor.indexValue)))
                isValid = try cursor.next()
            }
        }
    }
}
