import PostgreSQLClient
import Travertine
import TravertineStore

@testable import PostgreSQLSync

/// What a feed shows, given to a `BatchWriter` as a test wants it.
struct BatchRun {
    private let connection: Connection
    private let feed: ObjectFeed
    private let state: SyncStateTable
    private let options: SyncOptions

    init(_ fixture: SyncFixture, _ realm: Realm, feed name: String = "hand") throws {
        var connectionOptions = ConnectionOptions()
        connectionOptions.statementHandler = fixture.options.statementHandler
        connection = try Connection(fixture.parameters(), options: connectionOptions)
        feed = try realm.feed(named: name)
        state = SyncStateTable(
            connection: connection, schema: fixture.schema, store: feed.storeUUID, feed: name)
        options = fixture.options
        try state.create()
    }

    /// Loads everything, but the batch begins twice: when half of it is there, another snapshot
    /// comes, as from a feed that finds in the middle that its log is gone.
    func beginAgain() throws {
        let events = try snapshot()
        try write(events.dropLast() + events)
    }

    /// Loads everything, and then again over the same connection, for another reason.
    func loadAgain(_ reason: FeedSnapshotReason) throws {
        let events = try snapshot()
        try write(events + [.snapshot(reason)] + events.dropFirst())
    }

    private func snapshot() throws -> [ObjectFeedEvent] {
        try feed.startOver()
        var events: [ObjectFeedEvent] = []
        while try feed.read({ events.append($0) }) {}
        return events
    }

    private func write(_ events: [ObjectFeedEvent]) throws {
        let writer = BatchWriter(
            connection, state, try state.read(), options, names: nil, lineage: feed.lineage,
            note: { _ in })
        for event in events {
            switch event {
            case .snapshot(let reason): try writer.beginLoad(reason)
            case .schema(let types): try writer.take(types)
            case .put(let object): try writer.put(object)
            case .delete(let object): try writer.delete(object)
            case .reached(let position): try writer.end(at: position)
            }
        }
        try feed.acknowledge()
    }
}
