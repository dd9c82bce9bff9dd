import OrderedIndex
import SegmentLog

/// The keys that changed between two snapshots, one after the other, by keyspace and key.
///
/// ```swift
/// let changes = try newer.changes(since: older)
/// while try changes.next() {
///     print(changes.keyspace.name, changes.kind, changes.key)
/// }
/// ```
///
/// A new cursor is on no key; `next` moves it. It may be left at any time. One thread at a time may
/// use it; it keeps both snapshots alive.
public final class ChangeCursor {
    /// What happened to a key.
    public enum Kind: Sendable, Hashable {
        /// Only the newer snapshot has the key.
        case inserted
        /// Only the older snapshot has the key.
        case deleted
        /// Both have the key, with different values.
        case modified
    }

    private let older: Snapshot
    private let newer: Snapshot
    private let options: ReadOptions
    /// The keyspaces that remain, the next one first.
    private var remaining: ArraySlice<Keyspace>
    private var current: (keyspace: Keyspace, difference: KeyspaceDifference)?
    /// Whether the cursor is on a key.
    public private(set) var isValid = false

    init(
        from older: Snapshot, to newer: Snapshot, in keyspaces: [Keyspace], options: ReadOptions
    ) throws(StoreError) {
        self.older = older
        self.newer = newer
        self.options = options
        remaining = keyspaces[...]
        // Snapshots of two stores are refused here, and not by the first step.
        try beginNext()
    }

    private func beginNext() throws(StoreError) {
        current = nil
        guard let keyspace = remaining.popFirst() else { return }
        let difference = try KeyspaceDifference(
            from: older, to: newer, in: keyspace.identifier, verified: options.verifyChecksums)
        current = (keyspace, difference)
    }

    /// Moves to the next key that changed; false at the end.
    ///
    /// Costs the part of the index that the snapshots do not share: see
    /// `Snapshot.changes(since:options:)`.
    /// - Throws: `.damaged` with the place when a page of the index, or a record that must be
    ///   compared, is damaged; `.io`.
    @discardableResult
    public func next() throws(StoreError) -> Bool {
        isValid = false
        while let (_, difference) = current {
            isValid = try difference.next()
            if isValid { return true }
            try beginNext()
        }
        return false
    }

    private var difference: KeyspaceDifference {
        guard isValid, let current else {
            misuse("the cursor is on no key: check what next returns")
        }
        return current.difference
    }

    /// The keyspace of the key. Requires `isValid`.
    public var keyspace: Keyspace {
        guard isValid, let current else {
            misuse("the cursor is on no key: check what next returns")
        }
        return current.keyspace
    }

    /// What happened to the key. Requires `isValid`.
    public var kind: Kind {
        if difference.oldNumber == nil { return .inserted }
        return difference.newNumber == nil ? .deleted : .modified
    }

    /// A copy of the key. Requires `isValid`.
    public var key: [UInt8] { [UInt8](difference.key) }

    /// A copy of the value in the older snapshot; nil if it does not have the key. Requires
    /// `isValid`.
    ///
    /// - Throws: `.damaged` with the place when the record is damaged; `.io`.
    public var oldValue: [UInt8]? {
        get throws(StoreError) {
            let difference = difference
            return try Self.copy { try difference.withOldValue { [UInt8]($0) } }
        }
    }

    /// A copy of the value in the newer snapshot; nil if it does not have the key. Requires
    /// `isValid`.
    ///
    /// - Throws: `.damaged` with the place when the record is damaged; `.io`.
    public var newValue: [UInt8]? {
        get throws(StoreError) {
            let difference = difference
            return try Self.copy { try difference.withNewValue { [UInt8]($0) } }
        }
    }

    private static func copy(_ body: () throws -> [UInt8]?) throws(StoreError) -> [UInt8]? {
        do {
            return try body()
        } catch {
            throw StoreError(anyError: error)
        }
    }

    /// Calls `body` with the key in place. Requires `isValid`.
    public func withKey<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try body(difference.key.bytes)
    }

    /// Calls `body` with the value in the older snapshot, in place unless it is compressed; nil if
    /// it does not have the key. Requires `isValid`.
    ///
    /// - Throws: what `body` throws; `.damaged`, `.io`.
    public func withOldValue<Result>(_ body: (RawSpan) throws -> Result) throws -> Result? {
        try difference.withOldValue { try body($0.bytes) }
    }

    /// Calls `body` with the value in the newer snapshot, in place unless it is compressed; nil if
    /// it does not have the key. Requires `isValid`.
    ///
    /// - Throws: what `body` throws; `.damaged`, `.io`.
    public func withNewValue<Result>(_ body: (RawSpan) throws -> Result) throws -> Result? {
        try difference.withNewValue { try body($0.bytes) }
    }
}
