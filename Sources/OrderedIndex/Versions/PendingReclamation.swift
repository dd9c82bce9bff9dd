/// What no longer belongs to the newest version, until no pin holds it any more (G1).
///
/// An entry was born at version *b* and retired at *r*: the pins at *b*, …, *r* - 1 hold it. It
/// waits in the bucket of the oldest of them, so that one long snapshot does not make each
/// transaction look at everything again: an entry is looked at when it retires, and when the pin
/// that it waits for is released (G4).
struct PendingReclamation {
    /// A node, or (bit 0 of the address set) a root.
    struct Entry {
        var address: UInt
        var birth: UInt64
        var retirement: UInt64
    }

    private var arrived: [Entry] = []
    private var buckets: [(pin: UInt64, entries: [Entry])] = []
    /// Entries of nodes that wait, those that just arrived included.
    private(set) var nodeCount = 0

    /// Adds the nodes that a committed transaction retired.
    mutating func add(_ nodes: [RetiredNode], at version: UInt64) {
        nodeCount += nodes.count
        arrived.reserveCapacity(arrived.count + nodes.count)
        for node in nodes {
            arrived.append(
                Entry(
                    address: UInt(bitPattern: node.node.base), birth: node.birth,
                    retirement: version))
        }
    }

    /// Adds the root that a commit replaced.
    mutating func add(_ root: UnsafePointer<RootHeader>, at version: UInt64) {
        arrived.append(
            Entry(
                address: UInt(bitPattern: root) | 1, birth: root.pointee.version,
                retirement: version))
    }

    /// Frees what none of `pins` (sorted, distinct) holds.
    mutating func reclaim(pins: [UInt64], free: (Node) -> Void) {
        let waiting = arrived
        arrived.removeAll(keepingCapacity: true)
        sort(waiting, by: pins, free)
        var index = 0
        while index < buckets.count {
            if Self.firstIndex(in: pins, notBelow: buckets[index].pin)
                .map({ pins[$0] == buckets[index].pin }) ?? false
            {
                index += 1
                continue
            }
            let entries = buckets.remove(at: index).entries
            // A new holder is younger than the released one, so its bucket comes later, or is an
            // earlier one that was checked already and stays.
            sort(entries, by: pins, free)
        }
    }

    private mutating func sort(_ entries: [Entry], by pins: [UInt64], _ free: (Node) -> Void) {
        for entry in entries {
            if let holder = Self.firstIndex(in: pins, notBelow: entry.birth),
                pins[holder] < entry.retirement
            {
                wait(entry, for: pins[holder])
            } else if entry.address & 1 == 1 {
                if let root = UnsafeRawPointer(bitPattern: entry.address & ~1) {
                    RootHeader.free(root)
                }
            } else {
                nodeCount -= 1
                free(Node(bits: UInt64(entry.address)))
            }
        }
    }

    private mutating func wait(_ entry: Entry, for pin: UInt64) {
        // The newest bucket is the most likely one.
        if let last = buckets.last, last.pin == pin {
            buckets[buckets.count - 1].entries.append(entry)
            return
        }
        var index = buckets.count
        while index > 0 && buckets[index - 1].pin >= pin { index -= 1 }
        if index < buckets.count && buckets[index].pin == pin {
            buckets[index].entries.append(entry)
        } else {
            buckets.insert((pin, [entry]), at: index)
        }
    }

    private static func firstIndex(in pins: [UInt64], notBelow version: UInt64) -> Int? {
        var low = 0
        var high = pins.count
        while low < high {
            let middle = (low + high) / 2
            if pins[middle] < version { low = middle + 1 } else { high = middle }
        }
        return low < pins.count ? low : nil
    }

    /// Frees all roots, at the end of the index; the nodes are freed with their chunks.
    mutating func freeRoots() {
        for entry in arrived + buckets.flatMap(\.entries) where entry.address & 1 == 1 {
            if let root = UnsafeRawPointer(bitPattern: entry.address & ~1) { RootHeader.free(root) }
        }
    }

    #if DEBUG
        /// What is wrong with the entries and the buckets (G1, G4).
        func problems(lastStamp: UInt64) -> [String] {
            var problems: [String] = []
            let entries = arrived + buckets.flatMap(\.entries)
            if entries.contains(where: { $0.birth >= $0.retirement || $0.retirement > lastStamp }) {
                problems.append("G1: an entry retired before its birth, or in a version to come")
            }
            if entries.lazy.filter({ $0.address & 1 == 0 }).count != nodeCount {
                problems.append("G1: \(nodeCount) nodes are counted, and others wait")
            }
            for (pin, entries) in buckets
            where entries.contains(where: { pin < $0.birth || pin >= $0.retirement }) {
                problems.append("G4: an entry waits for pin \(pin), which does not hold it")
            }
            if zip(buckets, buckets.dropFirst()).contains(where: { $0.pin >= $1.pin }) {
                problems.append("G4: the buckets are out of order")
            }
            return problems
        }
    #endif
}
