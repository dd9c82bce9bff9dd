import SegmentLog
import StoreWorkload
import TravertineStore

/// Keyspaces beside those of the workload: a derived one, which follows from the newest
/// transactions, and one that is made, filled, dropped and made again.
///
/// What they hold after a transaction follows from its number alone.
struct KeyspaceLife {
    private static let derivedName = "derived"
    private static let temporaryName = "temporary"
    private static let residueCount: UInt64 = 16
    private static let period: UInt64 = 6

    /// Makes the changes of a transaction.
    static func apply(_ number: UInt64, to transaction: WriteTransaction) throws {
        let derived = try transaction.keyspace(named: derivedName, kind: .derived)
        if transaction.isInvalid(derived.identifier) {
            try transaction.indexReset(derived.identifier)
            for (key, value) in contents(after: number - 1) {
                try put(key, value, derived, transaction)
            }
        }
        try put(number % residueCount, number, derived, transaction)
        if number % period == 2 {
            let keyspace = try transaction.keyspace(named: temporaryName)
            for key in 0..<5 as Range<UInt64> {
                try transaction.put(value(number), forKey: key, in: keyspace)
            }
            try transaction.delete(UInt64(4), in: keyspace)
        }
        if number % period == 5, let keyspace = transaction.knownKeyspace(named: temporaryName) {
            try transaction.dropKeyspace(keyspace)
        }
    }

    /// How a snapshot differs from what it must hold after a transaction, or nil if it does not.
    static func difference(
        of snapshot: Snapshot, in store: Store, after number: UInt64
    ) throws -> String? {
        let keyspaces = store.allKeyspaces
        let temporary = keyspaces.first { $0.name == temporaryName }
        let isThere = (2..<5).contains(number % period)
        if (temporary != nil) != isThere {
            return "the temporary keyspace is \(isThere ? "missing" : "still there")"
        }
        if let temporary {
            let expected = value(number - (number % period - 2))
            for key in 0..<4 as Range<UInt64> {
                if try snapshot.get(key, in: temporary) == expected { continue }
                return "the temporary keyspace has another value for key \(key)"
            }
            if snapshot.count(in: temporary) != 4 {
                return "the temporary keyspace has \(snapshot.count(in: temporary)) keys"
            }
        }
        guard let derived = keyspaces.first(where: { $0.name == derivedName }) else {
            return number == 0 ? nil : "the derived keyspace is missing"
        }
        if snapshot.access.tree(of: derived.identifier).flags & TreeFlags.invalid != 0 {
            return nil
        }
        var found: [UInt64: UInt64] = [:]
        var cursor = snapshot.access.cursor(in: derived.identifier)
        var isValid = try cursor.seekToFirst()
        while isValid {
            found[cursor.withKey { UInt64($0.first ?? 0) }] = cursor.indexValue
            isValid = try cursor.next()
        }
        return found == contents(after: number) ? nil : "the derived keyspace holds \(found)"
    }

    /// How what a consumer of a feed has differs from what it must have after a transaction, or nil
    /// if it does not: derived keyspaces are not shown.
    static func difference(
        of contents: FeedConsumer.Contents, after number: UInt64
    ) -> String? {
        if contents[derivedName] != nil { return "it has the derived keyspace" }
        let temporary = contents[temporaryName] ?? [:]
        guard (2..<5).contains(number % period) else {
            return temporary.isEmpty ? nil : "it has something of the temporary keyspace"
        }
        let expected = value(number - (number % period - 2))
        return temporary.count == 4 && temporary.values.allSatisfy { $0 == expected }
            ? nil : "it has something else in the temporary keyspace"
    }

    private static func value(_ number: UInt64) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
    }

    private static func contents(after number: UInt64) -> [UInt64: UInt64] {
        var contents: [UInt64: UInt64] = [:]
        for past in (number < residueCount ? 1 : number - residueCount + 1)..<number + 1 {
            contents[past % residueCount] = past
        }
        return contents
    }

    private static func put(
        _ key: UInt64, _ value: UInt64, _ keyspace: Keyspace, _ transaction: WriteTransaction
    ) throws {
        try [UInt8(key)].withUnsafeBytes { key in
            _ = try transaction.indexPut(key, value: value, in: keyspace.identifier)
        }
    }
}
