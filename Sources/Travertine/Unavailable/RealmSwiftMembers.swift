#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Members of RealmSwift's types, and functions, that are not there, and what to use instead. They
// are members of protocols and of structs, so that a class may have its own of the same name.

/// Not there: there is no encryption.
@available(*, unavailable, message: "there is no encryption: use schemaVersionAtURL(_:)")
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data?) throws -> UInt64 {
    unavailableHere()
}

extension Realm {
    /// Not there: there is no encryption.
    @available(*, unavailable, message: "there is no encryption: use writeCopy(toFile:)")
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data?) throws { unavailableHere() }
}

extension Realm.Configuration {
    /// Not there: there is no encryption.
    @available(*, unavailable, message: "there is no encryption: encrypt the file system")
    public init(
        fileURL: URL? = nil, inMemoryIdentifier: String? = nil, encryptionKey: Data?,
        readOnly: Bool = false, schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
        deleteRealmIfMigrationNeeded: Bool = false,
        shouldCompactOnLaunch: (@Sendable (_ total: Int, _ used: Int) -> Bool)? = nil,
        objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
    ) {
        unavailableHere()
    }

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
