extension IndexCursor {
    /// Calls `body` with each key and value from the current key on, until it returns false or
    /// throws; the cursor then is on the key that it was called with, and otherwise on none.
    ///
    /// The fast way through many keys: one step for each leaf, nothing but `body` for each key. The
    /// key's bytes are valid during the call.
    @inlinable
    package mutating func forEach(
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UInt64) throws -> Bool
    ) throws {
        while isValid {
            while index < count {
                guard try body(loadKey(), value) else { return }
                index &+= 1
            }
            index = count &- 1
            _ = try moveToNextLeaf()
        }
    }

    /// Calls `body` with each value from the current key on, in key order; as `forEach`, but no key
    /// is put together. The fastest way to what only needs locations.
    @inlinable
    package mutating func forEachValue(_ body: (_ value: UInt64) throws -> Bool) throws {
        while isValid {
            while index < count {
                guard try body(value) else { return }
                index &+= 1
            }
            index = count &- 1
            _ = try moveToNextLeaf()
        }
    }
}
