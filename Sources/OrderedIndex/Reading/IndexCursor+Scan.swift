/// Visiting many keys, leaf by leaf, without moving the cursor for each of them.
extension IndexCursor {
    /// Calls `body` with each key and value from the current key on, until it returns false or
    /// throws; the cursor then is on the key that it was called with, and otherwise on none.
    ///
    /// The fast way through many keys: one step for each leaf, nothing but `body` for each key. The
    /// key's bytes are valid during the call.
    @inlinable
    package mutating func visit(
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UInt64) throws -> Bool
    ) throws {
        while count > 0 {
            prefetchNextLeaf()
            let view = view
            let buffer = buffer
            var index = index
            defer { self.index = index }
            while index < count {
                guard try body(view.loadKey(index, into: buffer), view.value(index)) else { return }
                index &+= 1
            }
            _ = try moveToNextLeaf()
            index = self.index
        }
    }

    /// As `visit`, and shows each value to `prepare`, in groups, 8 to 16 keys before its turn (the
    /// first ones of a leaf at once): there the caller can ask for what the values point to.
    @inlinable
    package mutating func forEach(
        asking prepare: (UnsafeRawPointer, _ stride: Int, _ count: Int) -> Void,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UInt64) throws -> Bool
    ) throws {
        while count > 0 {
            let view = view
            let buffer = buffer
            let count = count
            var index = index
            defer { self.index = index }
            while index < count {
                self.index = index
                while mayAsk { ask(prepare) }
                let end = asked == count ? count : asked &- IndexCursor.askedCount
                while index < end {
                    guard try body(view.loadKey(index, into: buffer), view.value(index)) else {
                        return
                    }
                    index &+= 1
                }
            }
            _ = try moveToNextLeaf()
            index = self.index
        }
    }

    /// As `forEach`, with the first eight bytes of each key as a big-endian number (0 for a shorter
    /// one) in place of its bytes, and values shown 24 to 32 keys ahead: a `body` that only notes
    /// what it gets is faster than memory. It throws nothing.
    @inlinable @inline(__always)
    package mutating func forEachNumber(
        asking prepare: (UnsafeRawPointer, _ stride: Int, _ count: Int) -> Void,
        _ body: (_ number: UInt64, _ value: UInt64) -> Bool
    ) throws(IndexFailure) {
        while count > 0 {
            let view = view
            let buffer = buffer
            let count = count
            var index = index
            // Keys of eight bytes mostly share the first four: then the head is the rest.
            let isShort = view.keyByteCount == 8 && view.prefixByteCount == 4
            let prefix =
                isShort
                ? UInt64(UInt32(bigEndian: buffer.loadUnaligned(as: UInt32.self))) &<< 32 : 0
            while index < count {
                self.index = index
                while asked < count && index &+ IndexCursor.farCount >= asked { ask(prepare) }
                let end = asked == count ? count : asked &- IndexCursor.farCount
                while index < end {
                    let number =
                        isShort
                        ? prefix | UInt64(UInt32(bitPattern: view.heads[index]) ^ 0x8000_0000)
                        : LeafView.number(of: view.loadKey(index, into: buffer))
                    guard body(number, view.value(index)) else {
                        self.index = index
                        return
                    }
                    index &+= 1
                }
            }
            self.index = index
            _ = try moveToNextLeaf()
        }
    }

    /// How many keys before their turn `forEachNumber` shows values.
    @inlinable
    static var farCount: Int { 24 }
}
