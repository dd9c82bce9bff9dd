import TravertineStore

/// Links whose targets are not there yet: they wait in a keyspace until they come.
///
/// A link that was given by the target's primary key, of which there is no object, reads as nil, or
/// is missing in its list. It is stored twice, by target and by source (Documentation/Documents.md,
/// 12.6), and set when an object with the key is stored by `LinkResolver`, or when everything is
/// looked through.
package struct UnresolvedLink: Equatable {
    /// The stored name of the type that links.
    package var source: String
    /// The key of the object that links.
    package var sourceKey: UInt64
    /// The stored name of the property.
    package var property: String
    /// The position in the list as it will be when nothing is missing; 0 for a single link. Of
    /// links in values of any type, which have paths, a number that no other one of the property
    /// has.
    package var position: UInt32
    /// The key in the map; empty in all else.
    package var mapKey: [UInt8]
    /// The way from the property to a link inside lists and dictionaries of values of any type,
    /// where a dictionary stands for it; empty in all else.
    package var path: [MixedStep]
    /// The stored name of the target's type.
    package var target: String
    /// The target's primary key as index keys have it.
    package var targetKey: [UInt8]

    /// A link to be written down.
    package init(
        source: String, sourceKey: UInt64, property: String, position: UInt32, mapKey: [UInt8],
        path: [MixedStep] = [], target: String, targetKey: [UInt8]
    ) {
        self.source = source
        self.sourceKey = sourceKey
        self.property = property
        self.position = position
        self.mapKey = mapKey
        self.path = path
        self.target = target
        self.targetKey = targetKey
    }

    /// Calls `body` with the target's primary key.
    package func withTargetKey<Result>(_ body: (_RawValue) throws -> Result) rethrows -> Result {
        try UnresolvedLinkCode.withRaw(targetKey, body)
    }
}

/// Writes unresolved links down and resolves them.
///
/// It belongs to the thread of its realm. The keyspace is made with the first such link; it is
/// looked up by name each time, as a transaction or savepoint that made it may have been rolled
/// back.
package final class LinkResolver {
    let session: RealmSession
    private var types: [String: RowType] = [:]

    /// A resolver for a realm.
    package init(_ realm: Realm) { session = realm.session }

    private var keyspace: KeyspaceID? { session.unresolvedLinkKeyspace }

    /// Whether there is any unresolved link, so that looking for one is worth it.
    package func hasAny() throws -> Bool {
        guard let keyspace else { return false }
        return try session.access.count(in: keyspace) > 0
    }

    // MARK: Writing down

    /// The primary key of a target as it is written down.
    package static func targetKey(_ raw: _RawValue, _ type: PropertyType) -> [UInt8] {
        switch raw {
        case .null: [0]
        case .word(let word): [1] + withUnsafeBytes(of: word.bigEndian, Array.init)
        case .bytes(let bytes): [2] + bytes
        }
    }

    /// Calls `body` with a target's key that was made by `targetKey`.
    package static func withRaw<Result>(
        _ key: [UInt8], _ body: (_RawValue) throws -> Result
    ) rethrows -> Result {
        try UnresolvedLinkCode.withRaw(key, body)
    }

    /// Whether a link can be written down: its target's key is not too long for it.
    package static func canWait(_ link: UnresolvedLink) -> Bool {
        let keys = UnresolvedLinkCode.keys(link)
        return keys.bySource.count <= Store.keyByteCountMax
            && keys.byTarget.count <= Store.keyByteCountMax
    }

    /// Writes a link down.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput` if the target's key is too long for it.
    package func add(_ link: UnresolvedLink) throws {
        session.requireWriting()
        if let failure = session.failure { throw failure }
        let transaction = session.requireTransaction()
        let keyspace = try transaction.keyspace(named: UnresolvedLinkCode.keyspaceName).identifier
        let keys = UnresolvedLinkCode.keys(link)
        guard keys.bySource.count <= Store.keyByteCountMax,
            keys.byTarget.count <= Store.keyByteCountMax
        else {
            throw Realm.Error(
                .invalidInput,
                "A link of '\(link.source).\(link.property)' cannot wait for its target: the key "
                    + "is too long. Store the '\(link.target)' first.")
        }
        session.caches.unresolvedListPositions.dropList(of: link)
        let value = UnresolvedLinkCode.value(link)
        for key in [keys.bySource, keys.byTarget] {
            try key.withBytes { (key) throws(StoreError) in
                try value.withBytes { (value) throws(StoreError) in
                    try transaction.put(rawKey: key, rawValue: value, in: keyspace)
                }
            }
        }
        session.advance()
    }

    // MARK: Looking

    /// The unresolved links of an object, by property and position.
    package func links(from source: String, key: UInt64) throws -> [UnresolvedLink] {
        guard try hasAny() else { return [] }
        return try session.unresolvedLinks(
            beginningWith: UnresolvedLinkCode.prefix(source: source, key: key))
    }

    /// The links that wait for an object.
    package func links(to target: String, key: [UInt8]) throws -> [UnresolvedLink] {
        guard try hasAny() else { return [] }
        return try session.unresolvedLinks(
            beginningWith: UnresolvedLinkCode.prefix(target: target, key: key))
    }

    /// Calls `body` with every unresolved link, by type and object; nothing may change in the
    /// meantime.
    package func forEachLink(_ body: (UnresolvedLink) throws -> Void) throws {
        guard let keyspace else { return }
        let prefix = [UnresolvedLinkCode.bySourceTag]
        var cursor = try session.access.cursor(in: keyspace)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid, cursor.withKey({ $0.starts(with: prefix) }) {
            try body(try UnresolvedLinkCode.link(try cursor.value(verified: true)))
            isValid = try cursor.next()
        }
    }

    // MARK: Resolving

    /// Forgets the unresolved links of an object that is replaced, or that had the key before.
    package func forget(from source: String, key: UInt64) throws {
        try session.forgetUnresolvedLinks(from: source, key: key)
    }

    /// Sets the links that wait for an object which is there now.
    ///
    /// - Returns: how many were set.
    @discardableResult
    package func resolve(to target: String, key: [UInt8], objectKey: UInt64) throws -> Int {
        var resolvedCount = 0
        for link in try links(to: target, key: key) {
            if try resolve(link, objectKey, waitingCount(before:)) { resolvedCount += 1 }
        }
        return resolvedCount
    }

    /// How many links of the same list wait for a place before that of a link.
    private func waitingCount(before link: UnresolvedLink) throws -> Int {
        guard link.position > 0 else { return 0 }
        let place = UnresolvedListPositions.ListID(link)
        if let known = session.caches.unresolvedListPositions.count(
            before: link.position, in: place)
        {
            return known
        }
        let counted = try positions(with: link, isLast: { $0 >= link.position })
        if counted.count <= UnresolvedListPositions.countedMax {
            return counted.prefix { $0 < link.position }.count
        }
        session.caches.unresolvedListPositions.insert(
            try positions(with: link, isLast: nil), of: place)
        return session.caches.unresolvedListPositions.count(before: link.position, in: place) ?? 0
    }

    /// The positions at which links of the same list wait, up to one that is the last or to one
    /// more than are counted each time.
    private func positions(
        with link: UnresolvedLink, isLast: ((UInt32) -> Bool)?
    ) throws -> [UInt32] {
        guard let keyspace else { return [] }
        let prefix = UnresolvedLinkCode.prefix(
            source: link.source, key: link.sourceKey, property: link.property)
        var positions: [UInt32] = []
        var cursor = try session.access.cursor(in: keyspace)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid,
            let position = cursor.withKey({ UnresolvedLinkCode.position(in: $0, behind: prefix) })
        {
            positions.append(position)
            if let isLast, isLast(position) || positions.count > UnresolvedListPositions.countedMax
            {
                break
            }
            isValid = try cursor.next()
        }
        return positions
    }

    /// Looks for the targets of all unresolved links, which may have come by other ways.
    ///
    /// - Returns: how many links were set.
    @discardableResult
    package func resolveAll() throws -> Int {
        guard try hasAny() else { return 0 }
        var resolvedCount = 0
        // By source and position: those of a list that stay must be counted once only.
        var last: UnresolvedLink?
        var waitingCount = 0
        for link in try session.unresolvedLinks(beginningWith: [UnresolvedLinkCode.bySourceTag]) {
            if link.sourceKey != last?.sourceKey || link.property != last?.property
                || link.source != last?.source
            {
                waitingCount = 0
            }
            last = link
            let key = try type(link.target).flatMap { type in
                try UnresolvedLinkCode.withRaw(link.targetKey) { try type.key(forPrimaryKey: $0) }
            }
            guard let key else {
                waitingCount += 1
                continue
            }
            if try resolve(link, key, { _ in waitingCount }) { resolvedCount += 1 }
        }
        return resolvedCount
    }

    func type(_ name: String) -> RowType? {
        if let type = types[name] { return type }
        let type = session.table(named: name).map { RowType(session, $0) }
        types[name] = type
        return type
    }
}
