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
        keys.sort()
        var end = 1
        for position in 1..<keys.count where keys[position] != keys[end - 1] {
            keys[end] = keys[position]
            end += 1
        }
        keys.removeSubrange(end...)
    }

    /// Puts keys in order, each of which is there once.
    static func sort(_ keys: inout [UInt64]) { keys.sort() }

    /// The keys of both arrays. Steps over the longer one in growing strides.
    static func intersection(_ first: [UInt64], _ second: [UInt64]) -> [UInt64] {
        let (few, many) = first.count <= second.count ? (first, second) : (second, first)
        var found: [UInt64] = []
        var place = 0
        for key in few {
            var stride = 1
            var end = place
            while end < many.count, many[end] < key {
                place = end + 1
                end += stride
                stride *= 2
            }
            end = min(end, many.count)
            while place < end {
                let middle = (place + end) / 2
                if many[middle] < key { place = middle + 1 } else { end = middle }
            }
            if place == many.count { break }
            if many[place] == key { found.append(key) }
        }
        return found
    }
}
