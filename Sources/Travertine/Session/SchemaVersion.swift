import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The schema version of the realm in a directory, which is only read.
///
/// - Parameters:
///   - fileURL: the directory.
///   - encryptionKey: the key of an encrypted realm.
/// - Throws: `Realm.Error`: `.invalidEncryptionKey`, `.fail` if there is none, as with RealmSwift,
///   `.fileAccess` where there can't be one, `.invalidDatabase` if it never held objects.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    var configuration = Realm.Configuration()
    configuration.fileURL = fileURL
    configuration.encryptionKey = encryptionKey
    configuration.readOnly = true
    if let shared = SharedStore.opened(fileURL) {
        try shared.checkKey(of: configuration)
        return shared.schema.version
    }
    do {
        return try SharedStore.open(configuration).schema.version
    } catch let error as StoreError {
        let found = Realm.Error(error, fileURL: fileURL)
        let code: Realm.Error.Code? =
            found.code == .fileNotFound ? .fail : fileURL.isFile ? .fileAccess : nil
        guard let code else { throw found }
        throw Realm.Error(code, found.message, fileURL: fileURL, underlying: error)
    }
}
