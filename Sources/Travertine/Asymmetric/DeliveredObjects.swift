import TravertineStore

/// Up to where asymmetric objects were deleted because the consumers of feeds had acknowledged
/// them, by type: a consumer that has not come so far may lack some of them, and gets a snapshot
/// that reports it (O35).
///
/// The records hold the store that the LSN is one of: what is loaded into another store has other
/// LSNs, and no feed from before.
struct DeliveredObjects {
    /// The name of the keyspace.
    static let keyspaceName = "travertine.delivered"

    private let session: RealmSession
    private let keyspace: KeyspaceID

    /// What the realm shows; nil if nothing was deleted so in its store.
    init?(_ session: RealmSession) throws {
        if let transaction = session.transaction {
            guard let found = transaction.knownKeyspace(named: Self.keyspaceName) else {
                return nil
            }
            keyspace = found.identifier
        } else if let found = try session.shared.store.keyspace(named: Self.keyspaceName) {
            keyspace = found.identifier
        } else {
            // A commit that was the first to delete may be visible just before its keyspace is.
            let stored = try session.access.keyspaceDefinitions(file: session.shared.store.path)
            guard let found = stored.first(where: { $0.name == Self.keyspaceName }) else {
                return nil
            }
            keyspace = found.id
        }
        self.session = session
    }

    /// The highest LSN of some types; 0 if none of their objects was deleted so.
    ///
    /// - Throws: `Realm.Error` with `.invalidDatabase` for a record of another size.
    func lsn(ofTypes numbers: some Sequence<UInt32>) throws -> UInt64 {
        let access = try session.access
        return try numbers.reduce(0) { highest, type in
            let value = try Self.key(type).withBytes { (key) throws(StoreError) in
                try access.value(forKey: key, in: keyspace, verified: true)
            }
            guard let value else { return highest }
            guard value.count == 24 else {
                throw Realm.Error(
                    .invalidDatabase,
                    "What the realm knows of delivered objects contradicts its format: the record "
                        + "of type \(type) in the keyspace \(Self.keyspaceName). Without that record "
                        + "feeds go on.", fileURL: session.shared.fileURL)
            }
            let words = (0..<3).map { word in
                UInt64(
                    littleEndian: value.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
            }
            let uuid = session.shared.store.uuid
            return (words[0], words[1]) == uuid ? max(highest, words[2]) : highest
        }
    }

    /// Notes that objects of a type are deleted, the last of which was added by the commit with an
    /// LSN.
    static func note(_ lsn: UInt64, ofType type: UInt32, _ session: RealmSession) throws {
        let transaction = session.requireTransaction()
        let keyspace = try transaction.keyspace(named: keyspaceName).identifier
        if let known = try Self(session)?.lsn(ofTypes: [type]), known >= lsn { return }
        session.noteAnything()
        let uuid = session.shared.store.uuid
        let value = [uuid.low, uuid.high, lsn].flatMap { number in
            withUnsafeBytes(of: number.littleEndian, Array.init)
        }
        try key(type).withBytes { (key) throws(StoreError) in
            try value.withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: keyspace)
            }
        }
    }

    private static func key(_ type: UInt32) -> [UInt8] {
        withUnsafeBytes(of: type.bigEndian, Array.init)
    }
}
