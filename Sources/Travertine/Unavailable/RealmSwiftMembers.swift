#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Members of RealmSwift's types that are not there, and what to use instead. They are members of
// protocols and of structs, so that a class may have its own of the same name.

extension ThreadConfined {
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
    /// Not there: a realm refreshes when it writes or when `refresh()` is called.
    @available(*, unavailable, message: "call refresh() where newer data may be shown")
    public var autorefresh: Bool {
        get { unavailableHere() }
        nonmutating set { unavailableHere() }
    }

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

    /// Not there: Device Sync ended with its service.
    @available(*, unavailable, message: "Device Sync ended with its service")
    public var syncConfiguration: Any? {
        get { unavailableHere() }
        set { unavailableHere() }
    }
}

extension Migration {
    /// Not there: migrations don't look at objects.
    @available(*, unavailable, message: "open the realm, and change its objects in a transaction")
    public func enumerateObjects(
        ofType typeName: String, _ block: (MigrationObject?, MigrationObject?) -> Void
    ) {
        unavailableHere()
    }
}
