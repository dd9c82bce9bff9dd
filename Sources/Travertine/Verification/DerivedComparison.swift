import StoreMaintenance
import TravertineStore

/// Compares the derived keyspaces of a type with what its rows say (O7).
///
/// The rows are read once for all keyspaces, and of the entries that they call for only sums are
/// kept, as of the entries that are there. Where sums differ, the entries are collected and
/// compared one by one.
struct DerivedComparison {
    private let access: ReadAccess
    private let type: StoredObjectType
    private let schemaKeyspace: KeyspaceID

    init(_ access: ReadAccess, _ type: StoredObjectType, schemaKeyspace: KeyspaceID) {
        self.access = access
        self.type = type
        self.schemaKeyspace = schemaKeyspace
    }

    /// The findings, and the keyspaces that differ.
    ///
    /// - Throws: for a row that does not decode.
    func compare() throws -> (findings: [VerificationReport.Finding], differing: [KeyspaceID]) {
        var findings: [VerificationReport.Finding] = []
        var valid: Set<KeyspaceID> = []
        for keyspace in type.derivedKeyspaces {
            if access.tree(of: keyspace).flags & TreeFlags.invalid == 0 {
                valid.insert(keyspace)
                continue
            }
            findings.append(
                VerificationReport.Finding(
                    .note, "\(type.name): \(role(of: keyspace)) waits to be rebuilt.",
                    advice: ObjectAdvice.waiting))
        }
        let expected = DerivedTally(access)
        for keyspace in try findingDuplicates(of: valid, into: expected, &findings) {
            valid.remove(keyspace)
        }
        var differing: [KeyspaceID] = []
        for keyspace in valid.sorted() {
            let (sum, isSound) = try sum(of: keyspace)
            if isSound, expected.sums[keyspace, default: 0] == sum { continue }
            let entries = CollectedEntries(access)
            if try isRefused(keyspace, into: entries, &findings) { continue }
            var difference = try difference(of: keyspace, from: entries.entries)
            difference.hasOtherForm = !isSound
            if difference.isEmpty { continue }
            differing.append(keyspace)
            findings.append(
                VerificationReport.Finding(
                    .error,
                    "\(type.name): \(role(of: keyspace)) (keyspace \(keyspace)) does not hold what "
                        + "the rows say: \(difference).", advice: ObjectAdvice.derived))
        }
        return (findings, differing)
    }

    /// Builds all at once; where objects have values alike that a unique index refuses, one by one.
    ///
    /// - Returns: the keyspaces that could not be built, each reported by a finding.
    private func findingDuplicates(
        of keyspaces: Set<KeyspaceID>, into target: DerivedTally,
        _ findings: inout [VerificationReport.Finding]
    ) throws -> [KeyspaceID] {
        do {
            try build(keyspaces, into: target)
            return []
        } catch let error as Realm.Error where Self.isDuplicate(error) {
            return try keyspaces.sorted().filter { try isRefused($0, into: target, &findings) }
        }
    }

    /// Builds one keyspace; true, with a finding, if values that must differ are alike.
    private func isRefused(
        _ keyspace: KeyspaceID, into target: some DerivedTarget,
        _ findings: inout [VerificationReport.Finding]
    ) throws -> Bool {
        do {
            try build([keyspace], into: target)
            return false
        } catch let error as Realm.Error where Self.isDuplicate(error) {
            findings.append(
                VerificationReport.Finding(
                    .error, "\(type.name): \(role(of: keyspace)) can't be built: \(error.message)",
                    advice: ObjectAdvice.duplicate))
            return true
        }
    }

    private static func isDuplicate(_ error: Realm.Error) -> Bool {
        error.code == .duplicatePrimaryKey || error.code == .uniqueViolation
    }

    private func build<Target: DerivedTarget>(_ keyspaces: Set<KeyspaceID>, into target: Target)
        throws
    {
        var builder = DerivedBuilder(
            transaction: target, type: type, schemaKeyspace: schemaKeyspace)
        try builder.build(keyspaces)
    }

    private func role(of keyspace: KeyspaceID) -> String {
        if keyspace == type.keyIndex { return "the index of the primary key" }
        for property in type.properties {
            if property.index == keyspace { return "the index of '\(property.name)'" }
            if property.backlinks == keyspace { return "the backlinks of '\(property.name)'" }
        }
        guard let index = type.indexes.first(where: { $0.keyspace == keyspace }) else {
            return "a derived keyspace"
        }
        let names = index.properties.map { number in
            "'\(type.properties.first { $0.number == number }?.name ?? "property \(number)")'"
        }.joined(separator: ", ")
        switch index.kind {
        case .values: return "the index of \(names)"
        case .uniqueValues: return "the unique index of \(names)"
        case .places: return "the index of places of \(names)"
        case .oldWords, .countedWords, .words, .trigrams, .countedCodePoints, .codePoints:
            return "the full-text index of \(names)"
        }
    }

    /// The sum of what the entries of a keyspace say, and whether these have the form that they
    /// should.
    private func sum(of keyspace: KeyspaceID) throws -> (sum: UInt64, isSound: Bool) {
        var sum: UInt64 = 0
        let isSound = try forEach(in: keyspace) { sum &+= DerivedTally.term($0, $1) }
        return (sum, isSound)
    }

    /// Calls `body` with each entry; of postings, which share entries, with one for each object.
    /// Gives whether the entries of postings have the form that they should.
    @discardableResult
    private func forEach(
        in keyspace: KeyspaceID, _ body: (UnsafeRawBufferPointer, UInt64) -> Void
    ) throws -> Bool {
        let hasPostings = type.indexes.contains {
            $0.keyspace == keyspace && $0.kind.hasPositions
        }
        var shape = PostingShape()
        var cursor = access.cursor(in: keyspace)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let value = cursor.indexValue
            cursor.withKey { key in
                if hasPostings {
                    shape.forEachPosting(of: key, value, body)
                } else {
                    body(key, value)
                }
            }
            isValid = try cursor.next()
        }
        shape.finish()
        return shape.isSound
    }

    private func difference(
        of keyspace: KeyspaceID, from expected: [[UInt8]: UInt64]
    ) throws -> DerivedDifference {
        var difference = DerivedDifference()
        var rest = expected
        try forEach(in: keyspace) { key, value in
            switch rest.removeValue(forKey: Array(key)) {
            case nil: difference.superfluousCount += 1
            case value: break
            default: difference.otherCount += 1
            }
        }
        difference.missingCount = rest.count
        return difference
    }
}

/// In what entries differ.
private struct DerivedDifference: CustomStringConvertible {
    var missingCount = 0
    var superfluousCount = 0
    var otherCount = 0
    /// Whether postings share entries in another way than they should.
    var hasOtherForm = false

    var isEmpty: Bool { missingCount + superfluousCount + otherCount == 0 && !hasOtherForm }

    var description: String {
        let counts = [
            (missingCount, "missing"), (superfluousCount, "superfluous"),
            (otherCount, "with another value"),
        ].filter { $0.0 > 0 }.map { "\($0.0) entries \($0.1)" }
        return (counts + (hasOtherForm ? ["postings in other entries than they should be"] : []))
            .joined(separator: ", ")
    }
}

extension WriteTransaction: DerivedTarget {}

/// Adds up the entries that rows call for.
///
/// Every put counts by itself, so that a link that is there twice counts twice, like the entry with
/// the value 2 that a transaction makes of it.
private final class DerivedTally: DerivedTarget {
    let access: ReadAccess
    private(set) var sums: [KeyspaceID: UInt64] = [:]

    init(_ access: ReadAccess) { self.access = access }

    func indexReset(_ keyspace: KeyspaceID) throws(StoreError) { sums[keyspace] = 0 }

    func indexPut(
        _ key: UnsafeRawBufferPointer, value: UInt64, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        sums[keyspace, default: 0] &+= Self.term(key, value)
        return nil
    }

    func indexAddBits(
        _ change: UInt64, toNumberOf key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        sums[keyspace, default: 0] &+= Self.term(key, change)
    }

    func store(_ postings: PostingsBatch) {
        postings.forEachEntry { keyspace, key, value in
            sums[keyspace, default: 0] &+= Self.term(key, value)
        }
    }

    /// What an entry adds: linear in the value.
    static func term(_ key: UnsafeRawBufferPointer, _ value: UInt64) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        hash ^= hash >> 32
        hash = hash &* 0x9e37_79b9_7f4a_7c15
        hash ^= hash >> 29
        return (hash | 1) &* value
    }
}

/// Collects the entries that rows call for.
private final class CollectedEntries: DerivedTarget {
    let access: ReadAccess
    private(set) var entries: [[UInt8]: UInt64] = [:]

    init(_ access: ReadAccess) { self.access = access }

    func indexReset(_ keyspace: KeyspaceID) throws(StoreError) { entries = [:] }

    func indexPut(
        _ key: UnsafeRawBufferPointer, value: UInt64, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        entries.updateValue(value, forKey: Array(key))
    }

    func indexAddBits(
        _ change: UInt64, toNumberOf key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        let number = entries[Array(key), default: 0] &+ change
        entries[Array(key)] = number == 0 ? nil : number
    }

    func store(_ postings: PostingsBatch) {
        postings.forEachEntry { _, key, value in entries[Array(key)] = value }
    }
}
