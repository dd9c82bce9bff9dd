import Travertine

/// What differs between two versions of a realm, as documents.
///
/// ```swift
/// let older = realm.freeze()
/// realm.refresh()
/// let changes = try DocumentChanges(from: older, to: realm.freeze())
/// try changes.forEachChange { change in
///     print(change.kind, change.type, change.key, change.properties)
/// }
/// ```
/// Several commits between the two are one difference. A value that is set to itself is no change,
/// and an embedded object that changes is a change of its owner. It belongs to the thread that made
/// it.
public struct DocumentChanges {
    /// An object that differs.
    public struct Change: Sendable {
        /// What happened to an object.
        public enum Kind: String, Sendable, CaseIterable {
            /// Only the newer version has it.
            case inserted
            /// Both versions have it, with different values.
            case modified
            /// Only the older version has it.
            case deleted
        }

        /// The stored name of the type.
        public let type: String
        /// What happened.
        public let kind: Kind
        /// The primary key; of an object without one the number of its object key, as in
        /// `DocumentExporter.forEachObject(of:_:)`.
        public let key: AnyBSON
        /// The stored names of the properties that differ; none unless the object is modified.
        public let properties: [String]
        /// The object as it is in the newer version, or, if it is deleted, as it was.
        public let document: Document
    }

    /// The log sequence number of the newer version's commit.
    public let lsn: UInt64
    private let older: Realm
    /// The newer version, from which the next changes are found.
    public let newer: Realm
    private let changes: [TypeChanges]

    /// Finds the differences. The cost is that of the part of the store that differs.
    ///
    /// - Parameters:
    ///   - older: a frozen realm.
    ///   - newer: a frozen realm of the same store that shows a later version.
    ///   - types: the stored names of the types that count; nil for all.
    /// - Throws: `StoreError` and `Realm.Error` for damage.
    public init(from older: Realm, to newer: Realm, types: Set<String>? = nil) throws {
        self.older = older
        self.newer = newer
        lsn = newer.frozenLSN
        changes = try newer.typeChanges(since: older).filter {
            types?.contains($0.typeName) ?? true
        }
    }

    /// Finds the differences between a version and what is newest now, which the realm shows
    /// afterwards.
    ///
    /// - Parameters:
    ///   - older: a frozen realm.
    ///   - realm: a realm of the same store that is not frozen.
    ///   - types: the stored names of the types that count; nil for all.
    /// - Throws: `StoreError` and `Realm.Error` for damage, and where the newest version can't be
    ///   shown.
    public init(from older: Realm, refreshing realm: Realm, types: Set<String>? = nil) throws {
        try realm.refreshThrowing()
        try self.init(from: older, to: realm.freeze(), types: types)
    }

    /// How many objects differ.
    public var count: Int {
        changes.reduce(0) { $0 + $1.inserted.count + $1.modified.count + $1.deleted.count }
    }

    /// Calls `body` with each object that differs: by type, and within a type the inserted ones,
    /// then the modified ones, then the deleted ones, each in the order of object keys.
    ///
    /// - Parameter body: called with each change.
    /// - Throws: what `body` throws, and errors of reading and encoding.
    public func forEachChange(_ body: (Change) throws -> Void) throws {
        for changes in changes {
            let exporters = (
                older: try exporter(of: changes.typeName, in: older),
                newer: try exporter(of: changes.typeName, in: newer)
            )
            for key in changes.inserted {
                try exporters.newer?.change(.inserted, key, of: changes.typeName, [], body)
            }
            for modified in changes.modified {
                try exporters.newer?.change(
                    .modified, modified.key, of: changes.typeName, modified.properties, body)
            }
            for key in changes.deleted {
                try exporters.older?.change(.deleted, key, of: changes.typeName, [], body)
            }
        }
    }

    /// An exporter of a type; nil in a version that does not have it, or where it is asymmetric.
    private func exporter(of type: String, in realm: Realm) throws -> DocumentExporter? {
        guard let found = realm.rowType(type), !found.isAsymmetric else { return nil }
        return try DocumentExporter(realm, resultsOf: type)
    }
}

extension DocumentExporter {
    fileprivate func change(
        _ kind: DocumentChanges.Change.Kind, _ key: UInt64, of type: String,
        _ properties: [String], _ body: (DocumentChanges.Change) throws -> Void
    ) throws {
        guard let document = try document(forObjectKey: key) else { return }
        try body(
            DocumentChanges.Change(
                type: type, kind: kind, key: identity(of: document, key), properties: properties,
                document: document))
    }
}
