import Dispatch

extension Realm {
    /// Opens a realm for the actor that the calling code runs on, without blocking its thread.
    ///
    /// Functions that belong to no actor can't call it: a realm in them would change its thread at
    /// each `await`. The main actor's realm is the one of the main queue.
    ///
    /// - Throws: as `init(configuration:)`; `CancellationError` when the task was cancelled before.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation
    ) async throws -> Realm {
        try await Realm(configuration: configuration, actor: actor)
    }

    /// Opens a realm for the actor that the calling code runs on, as `Realm.open` does.
    public init(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation
    ) async throws {
        try await self.init(configuration: configuration, actor: actor)
    }

    /// Opens a realm for an actor, without blocking its thread.
    ///
    /// - Throws: as `init(configuration:)`; `CancellationError` when the task was cancelled before.
    public init(
        configuration: Configuration = .defaultConfiguration, actor: isolated any Actor
    ) async throws {
        try Task.checkCancellation()
        // What takes long happens here; what remains is a look at the schema.
        let prepared = try await OpeningQueue.prepare(configuration)
        self = try withExtendedLifetime(prepared) {
            try Realm(configuration, .on(actor), isHere: true)
        }
    }
}

/// Where realms are opened without blocking the thread that asks.
enum OpeningQueue {
    private static let queue = DispatchQueue(label: "travertine.opening", attributes: .concurrent)

    /// Opens the store, and makes it fit the classes; it stays open as long as the result lives.
    static func prepare(_ configuration: Realm.Configuration) async throws -> SharedStore {
        try await withCheckedThrowingContinuation { continuation in
            prepare(configuration) { continuation.resume(with: $0) }
        }
    }

    /// As above; calls `done` on a thread of its own.
    static func prepare(
        _ configuration: Realm.Configuration,
        _ done: @escaping @Sendable (Result<SharedStore, any Error>) -> Void
    ) {
        queue.async { done(Result { try Realm.prepare(configuration) }) }
    }
}

extension Realm {
    /// The store of a configuration, the schema being in line with its classes.
    fileprivate static func prepare(_ configuration: Configuration) throws -> SharedStore {
        try Realm(configuration, .current, isHere: true).session.shared
    }
}
