import OrderedIndex

/// Compares a keyspace of two indexes that share no nodes, key by key.
package struct IndexComparison {
    private let left: ReadAccess
    private let right: ReadAccess
    private let keyspace: KeyspaceID

    /// Compares what two indexes have in a keyspace.
    package init(_ left: ReadAccess, _ right: ReadAccess, keyspace: KeyspaceID) {
        self.left = left
        self.right = right
        self.keyspace = keyspace
    }

    /// The number of keys that are in one only, or have other values.
    package func differenceCount() throws(StoreError) -> Int {
        var first = left.cursor(in: keyspace)
        var second = right.cursor(in: keyspace)
        var firstIsValid = try first.seekToFirst()
        var secondIsValid = try second.seekToFirst()
        var count = 0
        while firstIsValid || secondIsValid {
            let order = Self.order(first, firstIsValid, second, secondIsValid)
            if order != 0 || first.indexValue != second.indexValue { count += 1 }
            if order <= 0 { firstIsValid = try first.next() }
            if order >= 0 { secondIsValid = try second.next() }
        }
        return count
    }

    /// Which cursor is at the smaller key: negative the first, positive the second, 0 both on the
    /// same key.
    private static func order(
        _ first: borrowing RawCursor, _ firstIsValid: Bool, _ second: borrowing RawCursor,
        _ secondIsValid: Bool
    ) -> Int {
        guard firstIsValid else { return 1 }
        guard secondIsValid else { return -1 }
        return first.withKey { left in
            second.withKey { right in
                KeyOrder.compare(left, right)
            }
        }
    }
}
