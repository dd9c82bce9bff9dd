/// Two versions of results that have the order of keys: one pass over both finds how they differ.
extension ResultKeys {
    /// How a newer version differs from this one. Both have the order of keys, and so have the
    /// objects that were modified.
    func difference(to newer: ResultKeys, modified: [ResultKey]) -> CollectionDifference {
        var difference = CollectionDifference()
        var (old, new) = (Pass(self), Pass(newer))
        var next = 0
        while let key = old.key {
            while let other = new.key, other.precedes(key) {
                difference.insertions.append(new.position)
                new.advance()
            }
            if new.key == key {
                while next < modified.count, modified[next].precedes(key) { next += 1 }
                if next < modified.count, modified[next] == key {
                    difference.modifications.append(old.position)
                }
                new.advance()
            } else {
                difference.deletions.append(old.position)
            }
            old.advance()
        }
        while new.key != nil {
            difference.insertions.append(new.position)
            new.advance()
        }
        return difference
    }

    /// A pass over all keys.
    private struct Pass {
        private let chunks: [[ResultKey]]
        private var chunk = 0
        private var offset = 0
        private(set) var position = 0
        /// Nil at the end.
        private(set) var key: ResultKey?

        init(_ keys: ResultKeys) {
            chunks = keys.chunks
            key = chunks.first?[0]
        }

        mutating func advance() {
            position += 1
            offset += 1
            if offset == chunks[chunk].count {
                chunk += 1
                offset = 0
            }
            key = chunk < chunks.count ? chunks[chunk][offset] : nil
        }
    }
}
