import TravertineStore

/// A consumer that keeps a copy of a store by its feed.
public struct FeedConsumer {
    /// What keyspaces hold, by their names.
    public typealias Contents = [String: [[UInt8]: [UInt8]]]

    /// What it has, by the name of the keyspace.
    public private(set) var contents: Contents = [:]
    /// Up to where, once something was reached.
    public private(set) var position: FeedPosition?
    /// The greatest LSN that its contents have something of. What comes again leads through earlier
    /// states up to there.
    public private(set) var greatestLSN: UInt64 = 0
    /// The LSNs of the transactions, snapshots and differences that it was shown.
    public private(set) var reached: [UInt64] = []
    /// Why each snapshot came.
    public private(set) var snapshots: [FeedSnapshotReason] = []
    /// How many differences came in place of transactions.
    public private(set) var differenceCount = 0
    /// How many changes came.
    public private(set) var changeCount = 0
    /// What came since the last end of a part.
    private var pending: [FeedChange] = []
    private var isWhole = false

    /// What an end of the test's own is thrown as.
    public struct Stop: Error {
        /// An end.
        public init() {}
    }

    /// A consumer that has nothing yet.
    public init() {}

    /// Takes what a feed shows.
    public mutating func take(_ event: FeedEvent) {
        switch event {
        case .snapshot(let reason):
            snapshots.append(reason)
            pending = []
            isWhole = true
        case .difference:
            differenceCount += 1
            pending = []
        case .change(let change):
            changeCount += 1
            pending.append(change)
        case .reached(let position):
            if isWhole { (contents, greatestLSN) = ([:], 0) }
            isWhole = false
            for change in pending {
                contents[change.keyspace.name, default: [:]][change.key] = change.value
                if contents[change.keyspace.name]?.isEmpty == true {
                    contents[change.keyspace.name] = nil
                }
            }
            pending = []
            self.position = position
            greatestLSN = max(greatestLSN, position.lsn)
            reached.append(position.lsn)
        }
    }

    /// Reads all that there is.
    public mutating func readAll(_ feed: Feed, limit: Int = 1000) throws {
        var consumer = self
        defer { self = consumer }
        // What was shown without an end is nothing.
        consumer.pending = []
        consumer.isWhole = false
        while try feed.read(limit: limit, { consumer.take($0) }) {}
    }

    /// Reads once; ends with an error after so many events, if that is not nil.
    public mutating func readOnce(_ feed: Feed, limit: Int, failingAfter count: Int?) throws {
        var consumer = self
        defer { self = consumer }
        consumer.pending = []
        consumer.isWhole = false
        var left = count ?? .max
        do {
            try feed.read(limit: limit) { event in
                if left == 0 { throw Stop() }
                left -= 1
                consumer.take(event)
            }
        } catch is Stop {}
    }
}

extension Store {
    /// What the newest commit holds, as a consumer has it.
    public func feedContents() throws -> FeedConsumer.Contents {
        let snapshot = try snapshot()
        var contents: FeedConsumer.Contents = [:]
        for keyspace in keyspaces where snapshot.count(in: keyspace) > 0 {
            let cursor = snapshot.cursor(in: keyspace)
            var isValid = try cursor.seekToFirst()
            while isValid {
                contents[keyspace.name, default: [:]][cursor.key] = try cursor.value
                isValid = try cursor.next()
            }
        }
        return contents
    }
}
