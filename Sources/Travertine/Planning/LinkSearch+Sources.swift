import TravertineStore

/// Following links backwards: the objects that link to some targets.
extension LinkSearch.Hop {
    /// The bytes that a bound takes in memory.
    private static var boundStride: Int { 16 }

    /// The objects whose links lead to one of the targets, in ascending order, each once.
    ///
    /// The leaves of the entries of 16 targets are asked for at a time, before the first is read.
    /// - Parameter targets: keys in ascending order.
    func sources(of targets: [UInt64], _ access: ReadAccess) throws -> [UInt64] {
        var sources: [UInt64] = []
        try withUnsafeTemporaryAllocation(
            byteCount: Self.boundStride * (RowBatch.capacity + 1), alignment: 8
        ) { room in
            try append(sourcesOf: targets, access, room, to: &sources)
        }
        SortedKeys.normalise(&sources)
        return sources
    }

    private func append(
        sourcesOf targets: [UInt64], _ access: ReadAccess, _ room: UnsafeMutableRawBufferPointer,
        to sources: inout [UInt64]
    ) throws {
        var cursor = access.cursor(in: backlinks)
        for start in stride(from: 0, to: targets.count, by: RowBatch.capacity) {
            let count = min(RowBatch.capacity, targets.count - start)
            let lowers = (0..<count).map { bound(targets[start + $0], in: room, at: $0) }
            if count > 1 { access.ask(forKeys: lowers, in: backlinks) }
            for position in 0..<count {
                guard try cursor.seekForward(to: lowers[position]) else { return }
                let upper = upper(after: targets[start + position], in: room)
                _ = try cursor.appendSuffixes(before: upper, upTo: .max, to: &sources)
            }
        }
    }

    /// What the entries of the links to an object begin with, in memory.
    private func bound(
        _ target: UInt64, in room: UnsafeMutableRawBufferPointer, at position: Int
    ) -> UnsafeRawBufferPointer {
        let start = Self.boundStride * position
        let offset = type == nil ? 0 : 4
        if let type { room.storeBytes(of: type.bigEndian, toByteOffset: start, as: UInt32.self) }
        room.storeBytes(of: target.bigEndian, toByteOffset: start + offset, as: UInt64.self)
        return UnsafeRawBufferPointer(rebasing: room[start..<(start + offset + 8)])
    }

    /// The first key after the entries of the links to an object; nil if there is none.
    private func upper(
        after target: UInt64, in room: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        let start = Self.boundStride * RowBatch.capacity
        if target < .max { return bound(target + 1, in: room, at: RowBatch.capacity) }
        guard let type, type < .max else { return nil }
        room.storeBytes(of: (type + 1).bigEndian, toByteOffset: start, as: UInt32.self)
        return UnsafeRawBufferPointer(rebasing: room[start..<(start + 4)])
    }
}
