/// Moving forward to keys that are close to each other, and reading values up to a key.
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
        try visitRuns(before: end, upTo: limit) { view, positions, _ in
            for position in positions { values.append(view.value(position)) }
        }
    }

    /// As `appendValues`, with the last eight bytes of each key as a big-endian number in place of
    /// its value; 0 for a shorter key.
    package mutating func appendSuffixes(
        before end: UnsafeRawBufferPointer?, upTo limit: Int, to numbers: inout [UInt64]
    ) throws(IndexFailure) -> Bool {
        try visitRuns(before: end, upTo: limit) { view, positions, buffer in
            for position in positions {
                let key = view.loadKey(position, into: buffer)
                let offset = key.count &- 8
                numbers.append(
                    offset < 0
                        ? 0
                        : UInt64(
                            bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
        }
    }

    /// Calls `body` with each key from the current one on that is before `end`, and its value.
    package mutating func forEach(
        before end: UnsafeRawBufferPointer?,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UInt64) -> Void
    ) throws(IndexFailure) {
        _ = try visitRuns(before: end, upTo: .max) { view, positions, buffer in
            for position in positions {
                body(view.loadKey(position, into: buffer), view.value(position))
            }
        }
    }

    /// Calls `body` with the positions, leaf by leaf, of the keys from the current one on that are
    /// before `end`, and the buffer for keys; gives whether these are all.
    @inline(__always)
    private mutating func visitRuns(
        before end: UnsafeRawBufferPointer?, upTo limit: Int,
        _ body: (LeafView, Range<Int>, UnsafeMutableRawPointer) -> Void
    ) throws(IndexFailure) -> Bool {
        var left = limit
        while count > 0 {
            let last = end.map { currentLeaf.find(Key($0)).index } ?? count
            let taken = last &- index > left ? index &+ left : last
            if index < taken {
                body(view, index..<taken, buffer)
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
