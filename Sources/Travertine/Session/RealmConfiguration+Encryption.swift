import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Realm.Configuration {
    /// The key of the store.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput` for a key that does not have 64 bytes, and
    ///   where the library was built without encryption.
    var storeKey: EncryptionKey? {
        get throws { try Self.storeKey(encryptionKey, fileURL: directory) }
    }

    static func storeKey(_ bytes: Data?, fileURL: URL) throws -> EncryptionKey? {
        guard let bytes else { return nil }
        do {
            return try EncryptionKey(bytes)
        } catch {
            throw Realm.Error(
                .invalidInput, error.message, fileURL: fileURL, underlying: error)
        }
    }
}

extension SharedStore {
    /// Throws unless the store is open with the key of a configuration: who does not have it is not
    /// shown what another part of the process has opened.
    func checkKey(of configuration: Realm.Configuration) throws {
        let key = try configuration.storeKey
        if key == encryptionKey { return }
        let how = encryptionKey == nil ? "without a key" : "with another key"
        throw Realm.Error(
            .invalidEncryptionKey,
            "This process has the realm open \(how). Open it with the same `encryptionKey`.",
            fileURL: fileURL)
    }
}
