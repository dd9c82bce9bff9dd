/// The differences of two trees of the index, as a call for each.
extension Index {
    /// Calls `body` for each key whose values differ between two trees, in key order, until it
    /// returns false.
    ///
    /// The key's bytes are valid during the call. For the cost see `TreeDifference`.
    /// - Throws: what `body` throws, and `IndexFailure` when a page that is needed is damaged.
    package func difference(
        from old: Tree, to new: Tree,
        _ body: (_ key: UnsafeRawBufferPointer, _ old: UInt64?, _ new: UInt64?) throws -> Bool
    ) throws {
        let difference = TreeDifference(from: old, to: new, in: reader)
        while try difference.next() {
            guard try body(difference.key, difference.old, difference.new) else { return }
        }
    }
}
