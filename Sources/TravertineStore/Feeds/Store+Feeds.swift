import SegmentLog

/// Feeds of the process that writes a store.
extension Store {
    /// The feed with a name; made if there is none.
    ///
    /// From then on compaction keeps what the consumer has not acknowledged, within the bounds of
    /// the options. Remove a feed that nobody reads any more: `removeFeed(named:)`.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 of the characters a–z, A–Z, 0–9, “.”, “-” and “_”.
    ///   - options: the bounds; nil leaves those that the feed has.
    /// - Throws: `.locked` when the feed has a consumer already, in this process or another one;
    ///   `.misuse` for another name; `.closed`, `.permissionDenied`, `.diskFull`, `.io`.
    public func feed(
        named name: String, options: FeedOptions? = nil
    ) throws(StoreError) -> Feed {
        try feed(named: name, options: options, scope: 0)
    }

    /// As above, for what the feed follows of the store.
    package func feed(
        named name: String, options: FeedOptions?, scope: UInt64
    ) throws(StoreError) -> Feed {
        try checkUsable()
        return try Feed(named: name, options, scope: scope, of: .store(self))
    }

    /// The feeds of the store, by name.
    ///
    /// - Throws: `.closed`, `.misuse` inside a write transaction of the same thread, `.io`.
    public var feeds: [FeedStatistics] {
        get throws(StoreError) { try statistics.feeds }
    }

    /// Removes a feed: nothing is kept for it any more. Does nothing if there is none.
    ///
    /// - Throws: `.locked` when somebody reads it; `.misuse` for what is no name, `.io`.
    public func removeFeed(named name: String) throws(StoreError) {
        try Self.removeFeed(named: name, in: path, options.environment.fileSystem)
    }

    static func removeFeed(
        named name: String, in path: String, _ fileSystem: FileSystem
    ) throws(StoreError) {
        try StoreFiles.checkFeedName(name)
        let target = path + "/" + StoreFiles.feed(name)
        guard fileSystem.exists(target) else { return }
        let file = try FeedFile(named: name, in: path, fileSystem)
        defer { file.close() }
        do throws(FileSystemError) {
            try fileSystem.remove(target)
            try fileSystem.syncDirectory(path)
        } catch {
            throw StoreError(error)
        }
    }

    /// Whether the file of a feed has anything that is whole.
    package static func hasFeed(
        named name: String, in path: String, _ fileSystem: FileSystem
    ) -> Bool {
        let found = capture { () throws(FileSystemError) in
            try FeedFile.record(of: name, in: path, fileSystem)
        }
        guard case .success(let record) = found else { return false }
        return record != nil
    }

    /// What is remembered of feeds, for compaction.
    ///
    /// - Throws: `.io`, `.tooManyOpenFiles` where that can't be known just now.
    func feedRecords() throws(StoreError) -> [(name: String, record: FeedRecord)] {
        do throws(FileSystemError) {
            return try Self.feedRecords(in: path, options.environment.fileSystem)
                .filter { $0.record.store.isOfSameStore(as: log.identity) }
        } catch {
            throw StoreError(error)
        }
    }

    private static func feedRecords(
        in path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> [(name: String, record: FeedRecord)] {
        var found: [(name: String, record: FeedRecord)] = []
        for name in try fileSystem.list(path).compactMap({ StoreFiles.feedName(of: $0) }).sorted() {
            if let record = try FeedFile.record(of: name, in: path, fileSystem) {
                found.append((name, record))
            }
        }
        return found
    }

    /// The statistics of feeds whose records were read, and the segments of the log.
    func statistics(
        of feeds: [(name: String, record: FeedRecord)], _ segments: [SegmentSummary]
    ) -> [FeedStatistics] {
        let now = options.environment.calendarSeconds()
        return feeds.map { name, record in
            FeedStatistics(
                name: name,
                acknowledgedLSN: record.hasSnapshot ? record.place?.lsn.rawValue ?? 0 : 0,
                hasSnapshot: record.hasSnapshot,
                unacknowledgedByteCount: LogKept.byteCount(after: record, segments),
                isKept: LogKept.isWithinBounds(record, segments, now: now),
                lastUse: record.lastUse)
        }
    }
}

/// Feeds of a process that reads the store beside its writer.
extension StoreReader {
    /// The feed with a name; made if there is none: as `Store.feed(named:options:)`.
    ///
    /// The process needs permission to write in the directory of the store: the file of the feed is
    /// there.
    ///
    /// - Throws: `.locked` when the feed has a consumer already; `.misuse` for another name, and
    ///   for a reader of an earlier commit; `.closed`, `.permissionDenied`, `.diskFull`, `.io`.
    public func feed(
        named name: String, options: FeedOptions? = nil
    ) throws(StoreError) -> Feed {
        try feed(named: name, options: options, scope: 0)
    }

    /// As above, for what the feed follows of the store.
    package func feed(
        named name: String, options: FeedOptions?, scope: UInt64
    ) throws(StoreError) -> Feed {
        guard asOf == nil else {
            throw StoreError(
                .misuse, "A reader of an earlier commit has no feeds: nothing follows there.")
        }
        _ = try snapshot()
        return try Feed(named: name, options, scope: scope, of: .reader(self))
    }

    /// The feeds of the store, by name.
    ///
    /// - Throws: `.closed`, `.damaged`, `.io`.
    public var feeds: [FeedStatistics] {
        get throws(StoreError) { try statistics.feeds }
    }

    /// Removes a feed: as `Store.removeFeed(named:)`.
    ///
    /// - Throws: `.locked` when somebody reads it; `.misuse` for what is no name, `.io`.
    public func removeFeed(named name: String) throws(StoreError) {
        try Store.removeFeed(named: name, in: path, options.environment.fileSystem)
    }
}
