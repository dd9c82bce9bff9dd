import OrderedIndex
import SegmentLog

/// A few keys that are looked up together, and what the index says of them.
///
/// One block of memory, taken once and used for any number of batches.
struct KeyBatch: ~Copyable {
    static let capacity = IndexReader.batchCountMax
    /// A key that is longer than any stored one is cut off to this, and not found.
    private static let keyByteCountMax = Store.keyByteCountMax + 1
    private static let keyStride = (keyByteCountMax + 7) & ~7

    private let keys = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(
        capacity: capacity)
    private let values = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    /// Room for the copies of keys; taken when the first is copied.
    private var copies: UnsafeMutableRawPointer?
    private var found: UInt32 = 0
    private(set) var count = 0

    init() { values.initialize(repeating: 0, count: Self.capacity) }

    deinit {
        keys.deallocate()
        values.deallocate()
        copies?.deallocate()
    }

    var isFull: Bool { count == Self.capacity }

    mutating func removeAll() { count = 0 }

    /// Adds a key whose bytes stay where they are until the look-up.
    mutating func appendInPlace(_ key: UnsafeRawBufferPointer) {
        precondition(!isFull, "look the batch up before it takes more keys")
        keys.initializeElement(at: count, to: key)
        count += 1
    }

    /// Adds a copy of a key.
    mutating func append(_ key: UnsafeRawBufferPointer) {
        if copies == nil {
            copies = .allocate(byteCount: Self.keyStride * Self.capacity, alignment: 8)
        }
        guard let copies else { return }
        let copy = UnsafeMutableRawBufferPointer(
            start: copies + count * Self.keyStride, count: min(key.count, Self.keyByteCountMax))
        copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: key.prefix(copy.count)))
        appendInPlace(UnsafeRawBufferPointer(copy))
    }

    /// Looks all keys up in a tree.
    mutating func lookUp(in tree: Tree, of index: IndexReader) throws(StoreError) {
        do {
            found = try index.values(
                forKeys: UnsafeBufferPointer(rebasing: keys[..<count]), in: tree, into: values)
        } catch {
            throw StoreError(error)
        }
    }

    /// A key of the batch.
    func key(_ place: Int) -> UnsafeRawBufferPointer { keys[place] }

    /// The value that the look-up found for a key, or nil.
    func value(_ place: Int) -> UInt64? {
        found >> UInt32(place) & 1 == 1 ? values[place] : nil
    }

    /// Asks for the records at the locations that were found.
    func prefetchRecords(_ segments: SegmentReader) {
        for place in 0..<count {
            if let location = value(place) { segments.prefetch(Location(rawValue: location)) }
        }
    }
}
