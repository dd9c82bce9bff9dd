extension IndexCursor {
    /// Calls `body` with each key and value from the current key on, until it returns false or
    /// throws; the cursor then is on the key that it was called with, and otherwise on none.
    ///
    /// The fast way through many keys: one step for each leaf, nothing but `body` for each key. The
    /// key's bytes are valid during the call.
    ///
    /// `ahead` is called first, for each key of a leaf, with the value so many keys further on in
    /// that leaf: what `body` will need can be asked for early.
    @inlinable
    package mutating func visit(
        ahead distance: Int = 0, _ ahead: (_ value: UInt64) -> Void = { _ in },
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UInt64) throws -> Bool
    ) throws {
        while count > 0 {
            let view = view
            let buffer = buffer
            var index = index
            defer { self.index = index }
            if distance > 0 {
                for early in index..<min(index &+ distance, count) { ahead(view.value(early)) }
            }
            while index < count {
                if index &+ distance < count { ahead(view.value(index &+ distance)) }
                guard try body(view.loadKey(index, into: buffer), view.value(index)) else { return }
                index &+= 1
            }
            _ = try moveToNextLeaf()
            index = self.index
        }
    }

    /// Calls `body` with each value from the current key on, in key order; as `visit`, but no key
    /// is put together. The fastest way to what only needs locations.
    @inlinable
    package mutating func visitValues(_ body: (_ value: UInt64) throws -> Bool) throws {
        while count > 0 {
            let view = view
            var index = index
            defer { self.index = index }
            while index < count {
                guard try body(view.value(index)) else { return }
                index &+= 1
            }
            _ = try moveToNextLeaf()
            index = self.index
        }
    }
}
