/// Many keys at once, in results that have the order of keys: the cost of each is that of a few
/// comparisons where it is near the one before, as in a pass over all, and of a binary search where
/// it is not.
extension ResultKeys {
    /// An object that may come, go or be modified.
    struct Candidate {
        let key: ResultKey
        /// Whether it is among the results now; nil if that did not change.
        var isMember: Bool?
        var isModified: Bool
    }

    private struct Edit {
        let key: ResultKey
        let isInsertion: Bool
        /// Where the key is, or belongs, before any edit.
        let place: Place
        /// Of a deletion the position of the key, before any edit.
        let position: Int
    }

    /// How many keys are inserted or removed one by one, without a look at other chunks.
    private static let singleEditCountMax = 16

    /// Inserts and removes what came and went; returns how the results differ.
    ///
    /// Needs candidates in the order of keys, and keys that have it.
    mutating func merge(_ candidates: [Candidate]) -> CollectionDifference {
        var difference = CollectionDifference()
        var edits: [Edit] = []
        var walk = (chunk: 0, offset: 0, position: 0)
        for candidate in candidates {
            let key = candidate.key
            let chunk = chunk(of: key, from: walk.chunk)
            if chunk != walk.chunk {
                for index in walk.chunk..<chunk { walk.position += Int(counts[index]) }
                (walk.chunk, walk.offset) = (chunk, 0)
            }
            var has = false
            if chunk < chunks.count {
                chunks[chunk].withUnsafeBufferPointer { keys in
                    walk.offset = Self.offset(of: key, in: keys, from: walk.offset)
                    has = walk.offset < keys.count && keys[walk.offset] == key
                }
            }
            let position = walk.position + walk.offset
            switch (has, candidate.isMember ?? has) {
            case (true, true):
                if candidate.isModified { difference.modifications.append(position) }
                continue
            case (false, false): continue
            case (true, false): difference.deletions.append(position)
            case (false, true):
                difference.insertions.append(
                    position - difference.deletions.count + difference.insertions.count)
            }
            edits.append(
                Edit(
                    key: key, isInsertion: !has, place: Place(chunk: chunk, offset: walk.offset),
                    position: position))
        }
        if edits.count <= Self.singleEditCountMax { applySingly(edits) } else { apply(edits) }
        return difference
    }

    /// The last chunk that begins with a key or one before it, else the first; `start` is not after
    /// it.
    private func chunk(of key: ResultKey, from start: Int) -> Int {
        var low = start + 1
        // The next ones of a pass over all.
        for _ in 0..<2 {
            if low >= chunks.count || key.precedes(chunks[low][0]) { return low - 1 }
            low += 1
        }
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if key.precedes(chunks[middle][0]) { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    /// The first offset, from one on, whose key is not before another: in steps that double.
    private static func offset(
        of key: ResultKey, in keys: UnsafeBufferPointer<ResultKey>, from start: Int
    ) -> Int {
        var (low, step) = (start, 4)
        while low + step < keys.count, keys[low + step].precedes(key) {
            low += step + 1
            step *= 2
        }
        var high = Swift.min(low + step, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].precedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func applySingly(_ edits: [Edit]) {
        for edit in edits.reversed() where !edit.isInsertion { remove(at: edit.position) }
        for edit in edits where edit.isInsertion {
            insert(edit.key, at: place { $0.precedes(edit.key) })
        }
    }

    /// Makes the chunks anew in which something is inserted or removed.
    private mutating func apply(_ edits: [Edit]) {
        var edited = ResultKeys()
        var next = 0
        var waiting: [ResultKey] = []
        for (chunk, keys) in chunks.enumerated() {
            guard next < edits.count, edits[next].place.chunk == chunk else {
                if waiting.count + keys.count > Self.chunkCountMax {
                    edited.take(&waiting, all: true)
                }
                if waiting.isEmpty { edited.append(keys) } else { waiting += keys }
                continue
            }
            var offset = 0
            while next < edits.count, edits[next].place.chunk == chunk {
                let edit = edits[next]
                waiting += keys[offset..<edit.place.offset]
                offset = edit.place.offset
                if edit.isInsertion { waiting.append(edit.key) } else { offset += 1 }
                next += 1
            }
            waiting += keys[offset...]
            edited.take(&waiting, all: false)
        }
        // What is inserted where there was no chunk.
        waiting += edits[next...].map(\.key)
        edited.take(&waiting, all: true)
        self = edited
    }

    /// Appends keys in chunks, all of them or as long as there are too many for one.
    private mutating func take(_ keys: inout [ResultKey], all: Bool) {
        var start = 0
        while keys.count - start > Self.chunkCountMax {
            append(Array(keys[start..<start + Self.chunkFill]))
            start += Self.chunkFill
        }
        if all, start < keys.count {
            append(Array(keys[start...]))
            start = keys.count
        }
        keys.removeFirst(start)
    }
}
