import Foundation
import Travertine

/// The realm that is shown: the only place where its objects are used.
///
/// A request is one call, which sees one version from its beginning to its end.
actor RealmExplorer {
    /// The directory of the realm.
    nonisolated let directory: URL
    /// Whether the page may change it.
    nonisolated let isWritable: Bool
    var realm: Realm!
    /// Counts the versions that were shown, from 1.
    private(set) var version = 1
    let references = ReferenceTable()
    /// The commits that can be undone.
    var undoHistory = UndoHistory()
    /// Files that are imported, until their last pieces are there.
    var uploads = Uploads()
    /// The time, of which tests have their own.
    let now: @Sendable () -> ContinuousClock.Instant
    private var queries: [(description: QueryDescription, query: StoredQuery)] = []
    /// The types that these were made for.
    private var schemaOfQueries: Schema?
    private var observation: NotificationToken?
    private var watch: Task<Void, any Error>?
    private let changed: @Sendable (Int) -> Void

    /// How many tables are remembered with what they have found.
    private static let queryCount = 8
    private static let watchPause = Duration.seconds(1)

    /// Opens a realm.
    ///
    /// - Parameters:
    ///   - directory: that of the realm.
    ///   - key: that of an encrypted realm.
    ///   - isWritable: whether it is opened for writing, which only one process can.
    ///   - changed: called with the number of each version that is shown.
    ///   - now: the time.
    /// - Throws: `Realm.Error`.
    init(
        _ directory: URL, key: Data? = nil, isWritable: Bool = false,
        changed: @escaping @Sendable (Int) -> Void = { _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) async throws {
        self.directory = directory
        self.isWritable = isWritable
        self.now = now
        self.changed = changed
        let configuration = Realm.Configuration(
            fileURL: directory, encryptionKey: key, readOnly: !isWritable, objectTypes: [])
        realm = try await Realm(configuration: configuration, actor: self)
        schemaOfQueries = realm.schema
        observe()
        watch = Task { [weak self] in
            while true {
                try await Task.sleep(for: Self.watchPause)
                guard let self else { return }
                await self.lookAround()
            }
        }
    }

    deinit { watch?.cancel() }

    private func observe() {
        observation = realm.observe { [weak self] _, _ in
            self?.assumeIsolated { $0.didChange() }
        }
    }

    private func didChange() {
        version += 1
        changed(version)
    }

    /// Does what nothing calls for.
    func lookAround() {
        lookForOtherTypes()
        uploads.releaseAbandoned(at: now())
    }

    /// Looks whether a migration has changed the types, of which alone a realm notifies nobody.
    ///
    /// Results stop if a property that they sort by is not there any more, so none outlives the
    /// schema that it was made for.
    private func lookForOtherTypes() {
        let schema = realm.schema
        guard schema != schemaOfQueries else { return }
        queries.removeAll()
        schemaOfQueries = schema
        didChange()
    }

    // MARK: Types and objects

    /// The types, by name.
    var types: [ObjectSchema] {
        realm.schema.objectSchema.sorted { $0.objectTypeName < $1.objectTypeName }
    }

    /// A type whose objects can be shown.
    func type(_ name: String) throws(RequestFailure) -> ObjectSchema {
        guard let type = realm.schema.objectSchema.first(where: { $0.objectTypeName == name })
        else {
            throw RequestFailure(404, "The realm has no type “\(name)” any more.")
        }
        guard !type.isAsymmetric else {
            throw RequestFailure(
                422, "Objects of “\(name)” wait for their consumer, and can't be looked at.")
        }
        return type
    }

    /// The object at an address.
    func object(_ typeName: String, _ address: String) throws(RequestFailure) -> DynamicObject {
        let type = try type(typeName)
        let found: DynamicObject?
        if address.hasPrefix("=") {
            found = try primaryKey(address.dropFirst(), type).flatMap {
                realm.dynamicObject(ofType: type.objectTypeName, forPrimaryKey: $0)
            }
        } else {
            found = UInt64(address.dropFirst()).flatMap { references.object($0) }
        }
        guard let found, found.objectSchema.objectTypeName == type.objectTypeName else {
            throw RequestFailure(
                410, "There is no such \(typeName) any more: it was deleted, or the list is old.")
        }
        return found
    }

    private func primaryKey(
        _ text: Substring, _ type: ObjectSchema
    ) throws(RequestFailure) -> Any? {
        switch type.primaryKeyProperty?.type {
        case .int: Int(text)
        case .string: String(text)
        case .objectId: try? ObjectId(string: String(text))
        case .UUID: UUID(uuidString: String(text))
        default: throw RequestFailure(404, "“\(type.objectTypeName)” has no primary key.")
        }
    }

    /// What writes cells, with addresses of this realm's objects.
    var cells: CellEncoder { CellEncoder(references: references) }

    // MARK: Queries

    /// Throws for damage that was found in reading, so that no later request is answered with it.
    func throwDamage(_ type: ObjectSchema) throws {
        let everything = QueryDescription(type: type.objectTypeName, filter: "", order: [])
        try StoredQuery(everything, type, in: realm).throwDamage()
    }

    /// The results of a description: those of the last ones are kept with what they have found.
    func query(_ description: QueryDescription) throws -> StoredQuery {
        lookForOtherTypes()
        if let place = queries.firstIndex(where: { $0.description == description }) {
            let entry = queries.remove(at: place)
            queries.append(entry)
            return entry.query
        }
        let query = try StoredQuery(description, try type(description.type), in: realm)
        queries.append((description, query))
        if queries.count > Self.queryCount { queries.removeFirst() }
        return query
    }
}
