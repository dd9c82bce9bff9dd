import Measurement
import TravertineStore

/// The loops whose instructions are counted; nothing in them but the operation and a few
/// instructions to fetch the key and to touch the value.
struct CountedOperations: ~Copyable {
    private static let keyByteCount = 16
    private static let valueByteCount = 100

    private let store: Store
    private let keys: UnsafeMutableRawBufferPointer
    private let value: UnsafeMutableRawBufferPointer

    init(store: Store, capacity: Int) {
        self.store = store
        keys = .allocate(byteCount: capacity * Self.keyByteCount, alignment: 16)
        value = .allocate(byteCount: Self.valueByteCount, alignment: 16)
        var stream = RandomStream(seed: 1)
        for offset in stride(from: 0, to: keys.count, by: 8) {
            keys.storeBytes(of: stream.next(), toByteOffset: offset, as: UInt64.self)
        }
        for index in value.indices { value[index] = UInt8(truncatingIfNeeded: stream.next()) }
    }

    deinit {
        keys.deallocate()
        value.deallocate()
    }

    func put(count: Int, perTransaction: Int) throws {
        var done = 0
        while done < count {
            let transaction = try store.beginWrite()
            let end = min(done + perTransaction, count)
            while done < end {
                try transaction.put(UnsafeRawBufferPointer(value), forKey: key(done))
                done += 1
            }
            try transaction.commit()
        }
    }

    func get(count: Int, getsPerSnapshot: Int) throws {
        var done = 0
        var sum: UInt64 = 0
        while done < count {
            let snapshot = try store.snapshot()
            let end = min(done + getsPerSnapshot, count)
            while done < end {
                let first = try snapshot.withValue(forKey: key(done)) { value in
                    value.unsafeLoadUnaligned(as: UInt64.self)
                }
                try require(first != nil, "A key that was stored is missing.")
                sum &+= first ?? 0
                done += 1
            }
        }
        keepAlive(sum)
    }

    func getNewest(count: Int) throws {
        var sum: UInt64 = 0
        for index in 0..<count {
            let first = try store.withValue(forKey: key(index)) { value in
                value.unsafeLoadUnaligned(as: UInt64.self)
            }
            try require(first != nil, "A key that was stored is missing.")
            sum &+= first ?? 0
        }
        keepAlive(sum)
    }

    func getInBatches(count: Int) throws {
        let snapshot = try store.snapshot()
        var sum: UInt64 = 0
        var done = 0
        while done < count {
            let end = min(done + 100, count)
            let slices = (done..<end).lazy.map { [keys] in Self.key($0, in: keys) }
            try snapshot.withValues(forKeys: slices) { _, value in
                guard let value else { throw BenchmarkError("A key that was stored is missing.") }
                sum &+= value.unsafeLoadUnaligned(as: UInt64.self)
            }
            done = end
        }
        keepAlive(sum)
    }

    func seek(count: Int) throws {
        let cursor = try store.snapshot().cursor()
        var sum: UInt64 = 0
        for index in 0..<count {
            try require(try cursor.seek(to: key(index)), "A key that was stored is missing.")
            sum &+= try cursor.withValue { $0.unsafeLoadUnaligned(as: UInt64.self) }
        }
        keepAlive(sum)
    }

    func next(count: Int) throws {
        let cursor = try store.snapshot().cursor()
        var sum: UInt64 = 0
        for _ in 0..<count {
            if !(try cursor.next()) { try cursor.seekToFirst() }
            sum &+= try cursor.withValue { $0.unsafeLoadUnaligned(as: UInt64.self) }
        }
        keepAlive(sum)
    }

    func forEach(count: Int) throws {
        var sum: UInt64 = 0
        var rest = count
        // swift-format-ignore: ReplaceForEachWithForLoop
        try store.snapshot().forEach { _, value in
            sum &+= value.unsafeLoadUnaligned(as: UInt64.self)
            rest -= 1
            return rest > 0
        }
        try require(rest == 0, "The scan ended early.")
        keepAlive(sum)
    }

    private func key(_ index: Int) -> UnsafeRawBufferPointer { Self.key(index, in: keys) }

    private static func key(
        _ index: Int, in keys: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(keys)[
                (index * keyByteCount)..<((index + 1) * keyByteCount)])
    }
}

/// Keeps the optimiser from dropping a loop whose result nobody uses.
@inline(never)
private func keepAlive(_ value: UInt64) {
    withExtendedLifetime(value) {}
}
