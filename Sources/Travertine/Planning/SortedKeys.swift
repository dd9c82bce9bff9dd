/// Arrays of object keys in ascending order, each key once.
enum SortedKeys {
    /// Puts keys in order and takes repeated ones out.
    static func normalise(_ keys: inout [UInt64]) {
        var isOrdered = true
        for position in keys.indices.dropFirst() where keys[position - 1] >= keys[position] {
            isOrdered = false
            break
        }
        if isOrdered { return }
        sort(&keys)
        var end = 1
        for position in 1..<keys.count where keys[position] != keys[end - 1] {
            keys[end] = keys[position]
            end += 1
        }
        keys.removeSubrange(end...)
    }

    /// Puts keys in order: many of them by their bytes, of which few differ.
    static func sort(_ keys: inout [UInt64]) {
        guard keys.count > 256, let first = keys.first else { return keys.sort() }
        let differing = keys.reduce(0) { $0 | ($1 ^ first) }
        var other = [UInt64](repeating: 0, count: keys.count)
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 255 != 0 {
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
                starts.initialize(repeating: 0)
                for key in keys { starts[Int(key >> shift & 255)] += 1 }
                var end = 0
                for byte in 0..<256 { (starts[byte], end) = (end, end + starts[byte]) }
                other.withUnsafeMutableBufferPointer { other in
                    for key in keys {
                        let byte = Int(key >> shift & 255)
                        other[starts[byte]] = key
                        starts[byte] += 1
                    }
                }
            }
            swap(&keys, &other)
        }
    }

    /// The position of the first key at or after one, from a position on: looked for in growing
    /// strides.
    @inline(__always)
    static func position(in keys: [UInt64], notBefore key: UInt64, from start: Int) -> Int {
        var (low, stride, high) = (start, 1, start)
        while high < keys.count, keys[high] < key {
            low = high + 1
            high += stride
            stride *= 2
        }
        return (low..<min(high, keys.count)).partitioningIndex { keys[$0] >= key }
    }

    /// The keys of any of several arrays.
    static func union(_ parts: [[UInt64]]) -> [UInt64] {
        var parts = parts.filter { !$0.isEmpty }
        // Neighbours are merged until one is left, so that each key is moved a few times only.
        while parts.count > 1 {
            var merged: [[UInt64]] = []
            for start in stride(from: 0, to: parts.count, by: 2) {
                merged.append(
                    start + 1 < parts.count
                        ? union(parts[start], parts[start + 1]) : parts[start])
            }
            parts = merged
        }
        return parts.first ?? []
    }

    /// The keys of either array.
    private static func union(_ first: [UInt64], _ second: [UInt64]) -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: first.count + second.count) { keys, count in
            var (left, right) = (0, 0)
            while left < first.count, right < second.count {
                let (one, other) = (first[left], second[right])
                keys[count] = min(one, other)
                count += 1
                left += one <= other ? 1 : 0
                right += other <= one ? 1 : 0
            }
            for key in first[left...] {
                keys[count] = key
                count += 1
            }
            for key in second[right...] {
                keys[count] = key
                count += 1
            }
        }
    }

    /// The keys of both arrays. Steps over the longer one in growing strides.
    static func intersection(_ first: [UInt64], _ second: [UInt64]) -> [UInt64] {
        let (few, many) = first.count <= second.count ? (first, second) : (second, first)
        var found: [UInt64] = []
        var place = 0
        for key in few {
            place = position(in: many, notBefore: key, from: place)
            if place == many.count { break }
            if many[place] == key { found.append(key) }
        }
        return found
    }
}
