extension IndexCursor {
    /// The leaf that the cursor is in; only while it is on a key.
    private var currentLeaf: Leaf {
        Leaf(Node(UnsafeMutableRawPointer(mutating: view.node)))
    }

    /// Moves to the first key at or after `key`, which is at or after the current one; false if
    /// there is none. Keys of the same leaf are found without going down from the root.
    package mutating func seekForward(
        to key: UnsafeRawBufferPointer
    ) throws(IndexFailure) -> Bool {
        guard isValid else { return try seek(atOrAfter: key) }
        let found = currentLeaf.find(Key(key)).index
        guard found < count else { return try seek(atOrAfter: key) }
        index = max(index, found)
        return true
    }

    /// Adds the values of the keys from the current one on that are before `end`, in their order,
    /// to an array, up to so many; without `end` there is no bound.
    ///
    /// A search in each leaf finds how many of its keys belong to them: no key is put together.
    /// - Returns: whether these are all; the cursor then is on the key after them, if any.
    package mutating func appendValues(
        before end: UnsafeRawBufferPointer?, upTo limit: Int, to values: inout [UInt64]
    ) throws(IndexFailure) -> Bool {
        var left = limit
        while count > 0 {
            let last = end.map { currentLeaf.find(Key($0)).index } ?? count
            let taken = last &- index > left ? index &+ left : last
            if index < taken {
                let view = view
                for position in index..<taken { values.append(view.value(position)) }
                left &-= taken &- index
                index = taken
            }
            if taken < last { return false }
            if last < count { return true }
            // The last key was taken: `moveToNextLeaf` asks for no valid place.
            guard try moveToNextLeaf() else { return true }
        }
        return true
    }

    /// As `appendValues`, with the last eight bytes of each key as a big-endian number in place of
    /// its value; 0 for a shorter key.
    package mutating func appendSuffixes(
        before end: UnsafeRawBufferPointer?, upTo limit: Int, to numbers: inout [UInt64]
    ) throws(IndexFailure) -> Bool {
        var left = limit
        while count > 0 {
            let last = end.map { currentLeaf.find(Key($0)).index } ?? count
            let taken = last &- index > left ? index &+ left : last
            if index < taken {
                let view = view
                let buffer = buffer
                for position in index..<taken {
                    let key = view.loadKey(position, into: buffer)
                    numbers.append(
                        key.count < 8
                            ? 0
                            : UInt64(
                                bigEndian: key.loadUnaligned(
                                    fromByteOffset: key.count &- 8, as: UInt64.self)))
                }
                left &-= taken &- index
                index = taken
            }
            if taken < last { return false }
            if last < count { return true }
            guard try moveToNextLeaf() else { return true }
        }
        return true
    }
}
