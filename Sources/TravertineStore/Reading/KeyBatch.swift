import OrderedIndex
import SegmentLog

/// A few keys that are looked up together, and what the index says of them.
///
/// One block of memory, taken once and used for any number of batches. A class because the compiler
/// (6.3) crashes where a non-copyable struct with a `deinit` is used in a function that is inlined.
@usableFromInline
package final class KeyBatch {
    @inlinable static var capacity: Int { 16 }
    /// A key that is longer than any stored one is cut off to this, and not found.
    private static let keyByteCountMax = Store.keyByteCountMax + 1
    private static let keyStride = (keyByteCountMax + 7) & ~7

    /// The keys, then what was found for each, then the index's values, then room for copies of
    /// keys.
    private let block: UnsafeMutableRawPointer
    /// The keys that were added.
    @usableFromInline let keys: UnsafeMutablePointer<UnsafeRawBufferPointer>
    /// After `findValues`, the values that take nothing but a look into a mapped segment; without
    /// an address for the other keys.
    @usableFromInline let found: UnsafeMutablePointer<UnsafeRawBufferPointer>
    private let values: UnsafeMutablePointer<UInt64>
    private let copies: UnsafeMutableRawPointer
    @exclusivity(unchecked)
    private var copiedByteCount = 0
    @exclusivity(unchecked)
    private var foundBits: UInt32 = 0
    @exclusivity(unchecked)
    @usableFromInline var count = 0

    /// Makes a batch without keys; `copiesKeys` if any are to be added by `append`.
    @usableFromInline
    package init(copiesKeys: Bool = true) {
        let pointerBytes = MemoryLayout<UnsafeRawBufferPointer>.stride * Self.capacity
        let fixedBytes = 2 * pointerBytes + 8 * Self.capacity
        block = .allocate(
            byteCount: fixedBytes + (copiesKeys ? Self.keyStride * Self.capacity : 0),
            alignment: 16)
        keys = block.bindMemory(to: UnsafeRawBufferPointer.self, capacity: Self.capacity)
        found = (block + pointerBytes).bindMemory(
            to: UnsafeRawBufferPointer.self, capacity: Self.capacity)
        found.initialize(
            repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: Self.capacity)
        values = (block + 2 * pointerBytes).bindMemory(to: UInt64.self, capacity: Self.capacity)
        values.initialize(repeating: 0, count: Self.capacity)
        copies = block + fixedBytes
    }

    deinit { block.deallocate() }

    @inlinable package var isFull: Bool { count == Self.capacity }

    /// Forgets all keys, and keeps the memory.
    @usableFromInline
    package func removeAll() {
        count = 0
        copiedByteCount = 0
    }

    /// Adds a key whose bytes stay where they are until the look-up.
    @inlinable
    func appendInPlace(_ key: UnsafeRawBufferPointer) {
        require(!isFull, "look the batch up before it takes more keys")
        (keys + count).initialize(to: key)
        count += 1
    }

    /// Adds a copy of a key.
    @usableFromInline
    package func append(_ key: UnsafeRawBufferPointer) {
        let length = min(key.count, Self.keyByteCountMax)
        // Side by side, not a stride apart: short keys then share cache lines.
        let copy = copies + copiedByteCount
        if let start = key.baseAddress { copy.copyMemory(from: start, byteCount: length) }
        copiedByteCount += (length + 7) & ~7
        appendInPlace(UnsafeRawBufferPointer(start: copy, count: length))
    }

    /// Looks all keys up in a tree.
    package func lookUp(in tree: Tree, of index: IndexReader) throws(StoreError) {
        do {
            foundBits = try index.values(
                forKeys: UnsafeBufferPointer(start: keys, count: count), in: tree, into: values)
        } catch {
            throw StoreError(error)
        }
    }

    /// Whether the look-up found a key.
    @usableFromInline
    func isThere(_ place: Int) -> Bool {
        foundBits &>> UInt32(truncatingIfNeeded: place) & 1 == 1
    }

    /// How many of the keys the look-up found.
    var foundCount: Int { foundBits.nonzeroBitCount }

    /// What the index has for a key, or nil.
    package func value(_ place: Int) -> UInt64? { isThere(place) ? values[place] : nil }

    /// Finds the values that take nothing but a look into a mapped segment. Reads the headers of
    /// all records, so that they come from memory at the same time.
    func findValues(_ access: ReadAccess, verified: Bool) {
        for place in 0..<count {
            var value: UnsafeRawBufferPointer?
            if isThere(place) {
                value = access.mappedValue(
                    at: Location(rawValue: values[place]), verified: verified)
            }
            found[place] = value ?? UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// A key of the batch.
    package func key(_ place: Int) -> UnsafeRawBufferPointer { keys[place] }

    /// Asks for the records at the locations that were found, and, if that is looked at, for what
    /// says of them that they are whole.
    package func prefetchRecords(_ access: ReadAccess) {
        let segments = access.segments
        let readsFromDevice = segments.readsFromDevice
        let readsMarks = access.verification == .onFirstRead
        var hasPacked = false
        for place in 0..<count {
            guard let value = value(place) else { continue }
            let location = Location(rawValue: value)
            if location.isCompressed {
                segments.prefetchPack(location)
                hasPacked = true
            } else {
                segments.prefetch(location)
            }
            if readsMarks { segments.prefetchMarks(location) }
            if readsFromDevice { segments.askDevice(location) }
        }
        if !hasPacked { return }
        // Where a value of a pack is, the pack says: its lines come side by side.
        for place in 0..<count {
            guard let value = value(place) else { continue }
            segments.prefetchPackedValue(Location(rawValue: value))
        }
    }
}
