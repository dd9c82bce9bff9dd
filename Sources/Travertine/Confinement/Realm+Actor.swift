import Dispatch

/// Opening realms of actors.
extension Realm {
    /// Opens a realm for the actor that the calling code runs on, without blocking its thread.
    ///
    /// Functions that belong to no actor can't call it: a realm in them would change its thread at
    /// each `await`. The main actor's realm is the one of the main queue. In an actor's `init` use
    /// `Realm(actor: self)`, once all other properties have values.
    ///
    /// - Throws: as `init(configuration:)`; `CancellationError` when the task was cancelled before.
    public nonisolated(nonsending) static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: any Actor = #isolation
    ) async throws -> Realm {
        try await Realm(configuration: configuration, _isolation: actor)
    }

    /// Opens a realm for the actor that the calling code runs on, as `Realm.open` does.
    public nonisolated(nonsending) init(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: any Actor = #isolation
    ) async throws {
        // The compiler lets the `init` of an actor through, where the isolation is not there yet.
        guard unsafeBitCast(actor as any Actor, to: (UInt, UInt).self).0 != 0 else {
            throw Realm.Error(
                .fail,
                "The actor is not there yet for which a realm is opened in its `init`. Declare "
                    + "`var realm: Realm!`, and open it with `try await Realm(actor: self)` when all "
                    + "other properties have values.", fileURL: configuration.directory)
        }
        let prepared = try await BackgroundOpening.prepare(configuration)
        self = try Realm(configuration, prepared, on: actor)
    }

    /// Opens a realm for an actor, without blocking its thread.
    ///
    /// - Throws: as `init(configuration:)`; `CancellationError` when the task was cancelled before.
    public init(
        configuration: Configuration = .defaultConfiguration, actor: isolated any Actor
    ) async throws {
        let prepared = try await BackgroundOpening.prepare(configuration)
        self = try Realm(configuration, prepared, on: actor)
    }

    /// What long steps left: a look at the schema. The calling code runs on the actor.
    private init(
        _ configuration: Configuration, _ prepared: SharedStore, on actor: any Actor
    ) throws {
        self = try withExtendedLifetime(prepared) {
            try Realm(configuration, .on(actor), isHere: true)
        }
    }
}

/// Where realms are opened without blocking the thread that asks.
enum BackgroundOpening {
    /// Opens the store, and makes it fit the classes; it stays open as long as the result lives.
    static func prepare(_ configuration: Realm.Configuration) async throws -> SharedStore {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            prepare(configuration) { continuation.resume(with: $0) }
        }
    }

    /// As above; calls `done` on another thread.
    static func prepare(
        _ configuration: Realm.Configuration,
        _ done: @escaping @Sendable (Result<SharedStore, any Error>) -> Void
    ) {
        // A serial queue gets a separate thread also where all threads of the pool are blocked.
        DispatchQueue(label: "travertine.opening").async {
            done(Result { try Realm.prepare(configuration) })
        }
    }
}

extension Realm {
    /// The store of a configuration, the schema being in line with its classes.
    fileprivate static func prepare(_ configuration: Configuration) throws -> SharedStore {
        try Realm(configuration, .current, isHere: true).session.shared
    }
}
