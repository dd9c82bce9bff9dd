import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The schema version of the realm in a directory, which is only read.
///
/// - Throws: `Realm.Error`: `.fileNotFound` if there is none, `.invalidDatabase` if it never held
///   objects.
public func schemaVersionAtURL(_ fileURL: URL) throws -> UInt64 {
    if let shared = SharedStore.opened(fileURL) { return shared.schema.version }
    var configuration = Realm.Configuration()
    configuration.fileURL = fileURL
    configuration.readOnly = true
    do {
        return try SharedStore.open(configuration).schema.version
    } catch let error as StoreError {
        throw Realm.Error(error, fileURL: fileURL)
    }
}
