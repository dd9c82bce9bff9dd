/// The number of a keyspace: records carry it, and a version has the keyspace's tree there.
///
/// Numbers ascend as keyspaces are created, and are never used again after a drop.
@usableFromInline
package struct KeyspaceID: RawRepresentable, Comparable, Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package var rawValue: UInt32

    @inlinable package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The keyspace that the store and the log keep for themselves: definitions of keyspaces, and
    /// records without a key, such as rollbacks.
    @inlinable package static var system: KeyspaceID { KeyspaceID(rawValue: 0) }

    /// The keyspace that every store has.
    @inlinable package static var `default`: KeyspaceID { KeyspaceID(rawValue: 1) }

    /// The keyspace of a tree.
    @inlinable package init(treeNumber: Int) {
        rawValue = UInt32(treeNumber)
    }

    /// The place of the keyspace's tree among the trees of a version.
    @inlinable package var treeNumber: Int { Int(rawValue) }

    /// The keyspaces of these trees, in order.
    @inlinable
    package static func ofTrees(_ numbers: Range<Int>) -> LazyMapSequence<Range<Int>, KeyspaceID> {
        numbers.lazy.map { KeyspaceID(treeNumber: $0) }
    }

    @inlinable package static func == (left: KeyspaceID, right: KeyspaceID) -> Bool {
        left.rawValue == right.rawValue
    }

    @inlinable package static func < (left: KeyspaceID, right: KeyspaceID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension KeyspaceID: CustomStringConvertible {
    @usableFromInline package var description: String { String(rawValue) }
}
