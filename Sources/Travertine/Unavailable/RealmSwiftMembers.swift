#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Members of RealmSwift's types that are not there, and what to use instead. They are members of
// protocols and of structs, so that a class may have its own of the same name.

extension ThreadConfined {
    /// Not there: everything is live.
    @available(*, unavailable, message: "copy what is to stay: detached(), or Array(results)")
    public func freeze() -> Self { unavailableHere() }

    /// Not there: everything is live.
    @available(*, unavailable, message: "nothing is frozen: use the object or collection itself")
    public func thaw() -> Self? { unavailableHere() }

    /// Not there: changes are not reported yet.
    @available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
    public func observe(
        keyPaths: [String]? = nil, on queue: Any? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        unavailableHere()
    }
}

extension RealmCollection {
    /// Not there: changes are not reported yet.
    @available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
    public func observe(
        keyPaths: [String]? = nil, on queue: Any? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        unavailableHere()
    }
}

extension RealmKeyedCollection {
    /// Not there: changes are not reported yet.
    @available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
    public func observe(
        keyPaths: [String]? = nil, on queue: Any? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        unavailableHere()
    }
}

extension Realm {
    /// Not there: a realm belongs to a thread.
    @available(*, unavailable, message: "a realm belongs to a thread: Realm(configuration:)")
    public init(configuration: Configuration = .defaultConfiguration, queue: Any?) throws {
        unavailableHere()
    }

    /// Not there: opening waits.
    @available(*, unavailable, message: "open it on a separate thread: Realm(configuration:)")
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: Any? = nil,
        callback: @escaping (Result<Realm, any Swift.Error>) -> Void
    ) -> Any {
        unavailableHere()
    }

    /// Not there: writing waits.
    @available(*, unavailable, message: "write on a separate thread: write { … }")
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> UInt32 {
        unavailableHere()
    }

    /// Not there: writing waits.
    @available(*, unavailable, message: "write on a separate thread: write { … }")
    public func asyncWrite<Result>(_ block: () throws -> Result) async throws -> Result {
        unavailableHere()
    }

    /// Not there: writing waits.
    @available(*, unavailable, renamed: "beginWrite()")
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> UInt32 { unavailableHere() }

    /// Not there: writing waits.
    @available(*, unavailable, message: "use commitWrite()")
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ block: (((any Swift.Error)?) -> Void)? = nil
    ) -> UInt32 {
        unavailableHere()
    }

    /// Not there: writing waits.
    @available(*, unavailable, message: "use cancelWrite()")
    public func cancelAsyncWrite(_ transaction: UInt32) throws { unavailableHere() }

    /// Not there: writing waits.
    @available(*, unavailable, message: "writing waits, so that none is under way")
    public var isPerformingAsynchronousWriteOperations: Bool { unavailableHere() }

    /// Not there: refreshing is quick.
    @available(*, unavailable, renamed: "refresh()")
    public func asyncRefresh() async -> Bool { unavailableHere() }

    /// Not there: a realm refreshes when it writes or when `refresh()` is called.
    @available(*, unavailable, message: "call refresh() where newer data may be shown")
    public var autorefresh: Bool {
        get { unavailableHere() }
        nonmutating set { unavailableHere() }
    }

    /// Not there: everything is live.
    @available(*, unavailable, message: "copy what is to stay: detached(), or Array(results)")
    public func freeze() -> Realm { unavailableHere() }

    /// Not there: everything is live.
    @available(*, unavailable, message: "copy what is to stay: object.detached()")
    public func freeze<Model: ObjectBase>(_ object: Model) -> Model { unavailableHere() }

    /// Not there: everything is live.
    @available(*, unavailable, message: "nothing is frozen: use the realm itself")
    public func thaw() -> Realm { unavailableHere() }

    /// Not there: each thread opens the realm.
    @available(*, unavailable, message: "pass the primary key: object(ofType:forPrimaryKey:)")
    public func resolve<Confined>(_ reference: Any) -> Confined? { unavailableHere() }

    /// Not there: changes are not reported yet.
    @available(*, unavailable, message: "nothing can be observed yet: call refresh() and compare")
    public func observe(_ block: @escaping (Any, Realm) -> Void) -> NotificationToken {
        unavailableHere()
    }

    /// Not there: there is no encryption.
    @available(*, unavailable, message: "there is no encryption: use writeCopy(toFile:)")
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data?) throws { unavailableHere() }
}

extension Realm.Configuration {
    /// Not there: there is no encryption.
    @available(*, unavailable, message: "there is no encryption: encrypt the file system")
    public var encryptionKey: Data? {
        get { unavailableHere() }
        set { unavailableHere() }
    }

    /// Not there: versions that nobody reads are removed.
    @available(*, unavailable, message: "not needed: versions that nobody reads are removed")
    public var maximumNumberOfActiveVersions: UInt? {
        get { unavailableHere() }
        set { unavailableHere() }
    }

    /// Not there: Device Sync ended with its service.
    @available(*, unavailable, message: "Device Sync ended with its service")
    public var syncConfiguration: Any? {
        get { unavailableHere() }
        set { unavailableHere() }
    }
}
