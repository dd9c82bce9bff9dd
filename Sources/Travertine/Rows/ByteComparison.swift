#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Comparisons of bytes, so that filters and sorts make no strings.
extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    @inline(__always)
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }

    /// Less than 0, 0, or more than 0, as `memcmp` orders; a prefix comes first.
    @inline(__always)
    func order(to other: UnsafeRawBufferPointer) -> Int {
        let common = Swift.min(count, other.count)
        if common > 0, let left = baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, common)
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }

    /// The eight bytes from an offset on as a big-endian number, with zeros for those after the
    /// last one. Such numbers have the order of the bytes.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        if count >= offset + 8 {
            return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var word: UInt64 = 0
        var shift: UInt64 = 64
        for position in Swift.min(offset, count)..<count {
            shift -= 8
            word |= UInt64(self[position]) << shift
        }
        return word
    }

    /// Whether the bytes occur in these.
    func contains(_ part: UnsafeRawBufferPointer) -> Bool {
        if part.count == 0 { return true }
        guard part.count <= count, let whole = baseAddress, let wanted = part.baseAddress else {
            return false
        }
        let first = Int32(part[0])
        let end = whole + (count - part.count + 1)
        var place = whole
        while place < end, let candidate = memchr(place, first, end - place) {
            if memcmp(candidate, wanted, part.count) == 0 { return true }
            place = UnsafeRawPointer(candidate) + 1
        }
        return false
    }

    /// Whether these begin with the bytes.
    @inline(__always)
    func begins(with part: UnsafeRawBufferPointer) -> Bool {
        count >= part.count
            && UnsafeRawBufferPointer(rebasing: self[..<part.count]).isSame(as: part)
    }

    /// Whether these end with the bytes.
    @inline(__always)
    func ends(with part: UnsafeRawBufferPointer) -> Bool {
        count >= part.count
            && UnsafeRawBufferPointer(rebasing: self[(count - part.count)...]).isSame(as: part)
    }
}
