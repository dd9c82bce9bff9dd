extension UnsafeMutableRawPointer {
    /// Moves what is in this allocation to a larger one, at least twice as large.
    ///
    /// - Parameters:
    ///   - capacity: the bytes that are allocated.
    ///   - needed: the bytes that must have room.
    ///   - byteCount: how many bytes from the start are used.
    @inline(never)
    mutating func grow(_ capacity: inout Int, to needed: Int, keeping byteCount: Int) {
        assert(byteCount <= capacity && needed > capacity, "there is room already")
        let newCapacity = Swift.max(needed, 2 * capacity)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 8)
        larger.copyMemory(from: self, byteCount: byteCount)
        deallocate()
        self = larger
        capacity = newCapacity
    }
}
