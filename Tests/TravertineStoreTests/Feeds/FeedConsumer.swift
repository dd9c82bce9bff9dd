import Testing

@testable import TravertineStore

/// A consumer that keeps a copy of a store by its feed.
struct FeedConsumer {
    typealias Contents = [String: [[UInt8]: [UInt8]]]

    /// What it has, by the name of the keyspace.
    private(set) var contents: Contents = [:]
    /// Up to where, once something was reached.
    private(set) var position: FeedPosition?
    /// The greatest LSN that its contents have something of. What comes again leads through earlier
    /// states up to there.
    private(set) var greatestLSN: UInt64 = 0
    /// The LSNs of the transactions, snapshots and differences that it was shown.
    private(set) var reached: [UInt64] = []
    /// How often each kind of part came.
    private(set) var snapshots: [FeedSnapshotReason] = []
    private(set) var differenceCount = 0
    private(set) var changeCount = 0
    /// What came since the last end of a part.
    private var pending: [FeedChange] = []
    private var isWhole = false

    /// What an end of the test's own is thrown as.
    struct Stop: Error {}

    mutating func take(_ event: FeedEvent) {
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
    mutating func readAll(_ feed: Feed, limit: Int = 1000) throws {
        var consumer = self
        defer { self = consumer }
        // What was shown without an end is nothing.
        consumer.pending = []
        consumer.isWhole = false
        while try feed.read(limit: limit, { consumer.take($0) }) {}
    }

    /// Reads once; ends with an error after so many events, if that is not nil.
    mutating func readOnce(_ feed: Feed, limit: Int, failingAfter count: Int?) throws {
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
    func feedContents() throws -> FeedConsumer.Contents {
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
