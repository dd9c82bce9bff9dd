import TravertineStore

extension Realm {
    /// The feed with a name, of all types or of some; made if there is none.
    ///
    /// From then on compaction keeps what the consumer has not acknowledged, within the bounds of
    /// the options. A feed that had other types before begins anew with a snapshot. Remove one that
    /// nobody reads any more: `removeFeed(named:)`.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 of the characters a–z, A–Z, 0–9, “.”, “-” and “_”.
    ///   - types: the classes whose objects are shown; nil for all types that are stored, now and
    ///     later. Embedded objects are shown inside of their owners.
    ///   - options: the bounds; nil leaves those that the feed has.
    /// - Throws: `Realm.Error`: `.invalidInput` for a class that is not stored, or is embedded, and
    ///   where the feed has a consumer already.
    public func feed(
        named name: String, types: [ObjectBase.Type]? = nil, options: FeedOptions? = nil
    ) throws -> ObjectFeed {
        try feed(named: name, typeNames: types?.map { $0.objectTypeName() }, options: options)
    }

    /// The feed with a name, of types by their stored names; made if there is none: as
    /// `feed(named:types:options:)`.
    public func feed(
        named name: String, typeNames: [String]?, options: FeedOptions? = nil
    ) throws -> ObjectFeed {
        let session = session.here
        let shared = session.shared
        guard session.configuration.asOf == nil, !session.isFrozen else {
            throw Error(
                .invalidInput,
                "A realm of an earlier commit, or a frozen one, has no feeds: nothing follows there.",
                fileURL: shared.fileURL)
        }
        if let typeNames { try check(typeNames, shared) }
        return try ObjectFeed(
            shared, session.configuration, named: name, types: typeNames, options)
    }

    private func check(_ names: [String], _ shared: SharedStore) throws {
        let types: StoredTypes
        do {
            types = try shared.storedTypesCache.types(of: shared.newestSnapshot(.none))
        } catch let error as StoreError {
            throw Error(error, fileURL: shared.fileURL)
        }
        for name in names {
            guard let type = types.schema.type(named: name) else {
                let known = types.schema.types.filter { !$0.isEmbedded }.map(\.name)
                let near = NearNames.near(name, among: known)
                throw Error(
                    .invalidInput,
                    "No type '\(name)' is stored."
                        + (near.isEmpty
                            ? " There are: \(known.sorted().joined(separator: ", "))."
                            : " Did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"),
                    fileURL: shared.fileURL)
            }
            guard !type.isEmbedded else {
                throw Error(
                    .invalidInput,
                    "Objects of type '\(name)' are embedded: a feed shows them inside of their "
                        + "owners. Name the owners' types.",
                    fileURL: shared.fileURL)
            }
        }
    }

    /// Whether there is a feed with a name: its consumer has made it, here or in another process.
    ///
    /// - Throws: `Realm.Error` where the directory can't be read.
    public func hasFeed(named name: String) throws -> Bool {
        let shared = session.here.shared
        do throws(StoreError) {
            return try shared.store.hasFeed(named: name)
        } catch {
            throw Error(error, fileURL: shared.fileURL)
        }
    }

    /// Removes a feed: nothing is kept for it any more. Does nothing if there is none.
    ///
    /// - Throws: `Realm.Error` when somebody reads it, and where the disk fails.
    public func removeFeed(named name: String) throws {
        let shared = session.here.shared
        do throws(StoreError) {
            if let reader = shared.reader {
                try reader.removeFeed(named: name)
            } else {
                try shared.store.removeFeed(named: name)
            }
        } catch {
            throw Error(error, fileURL: shared.fileURL)
        }
    }
}
