import Synchronization

/// The attached page files, found by number without a lock.
///
/// An open-addressed table of atomics. Attaching fills an entry and only then makes its number
/// visible; detaching leaves a grave, which the next attachment may use. A table that is too full
/// is replaced; the old ones stay until the end, since a reader may be probing them (they are
/// small, and each is at most half of the next).
struct PageTable: ~Copyable {
    static let empty = UInt64.max
    static let grave = UInt64.max - 1

    struct Slot: ~Copyable {
        let number = Atomic<UInt64>(PageTable.empty)
        let file = Atomic<UnsafeMutablePointer<PageFile>?>(nil)
    }

    let slots: UnsafeMutablePointer<Slot>
    let mask: Int
    let previous: UnsafeMutablePointer<PageTable>?

    init(slotCount: Int, previous: UnsafeMutablePointer<PageTable>?) {
        precondition(slotCount & (slotCount - 1) == 0, "the table's size is a power of two")
        slots = .allocate(capacity: slotCount)
        for index in 0..<slotCount { (slots + index).initialize(to: Slot()) }
        mask = slotCount - 1
        self.previous = previous
    }

    deinit {
        slots.deinitialize(count: mask + 1)
        slots.deallocate()
    }

    /// The file with a number, or nil.
    @inline(__always)
    func file(_ number: UInt64) -> UnsafeMutablePointer<PageFile>? {
        var index = Int(truncatingIfNeeded: number) & mask
        for _ in 0...mask {
            let found = slots[index].number.load(ordering: .acquiring)
            if found == number { return slots[index].file.load(ordering: .acquiring) }
            if found == PageTable.empty { return nil }
            index = (index &+ 1) & mask
        }
        return nil
    }

    /// Adds a file; false when the table is too full.
    func add(_ file: UnsafeMutablePointer<PageFile>, number: UInt64) -> Bool {
        var index = Int(truncatingIfNeeded: number) & mask
        for _ in 0...(mask / 2) {
            let found = slots[index].number.load(ordering: .acquiring)
            if found == PageTable.empty || found == PageTable.grave {
                slots[index].file.store(file, ordering: .releasing)
                slots[index].number.store(number, ordering: .releasing)
                return true
            }
            index = (index &+ 1) & mask
        }
        return false
    }

    /// Removes and returns a file.
    func remove(_ number: UInt64) -> UnsafeMutablePointer<PageFile>? {
        for index in 0...mask where slots[index].number.load(ordering: .acquiring) == number {
            let file = slots[index].file.load(ordering: .acquiring)
            slots[index].number.store(PageTable.grave, ordering: .releasing)
            return file
        }
        return nil
    }

    /// Calls `body` for each attached file.
    func visitFiles(_ body: (UnsafeMutablePointer<PageFile>) -> Void) {
        for index in 0...mask {
            let number = slots[index].number.load(ordering: .acquiring)
            if number == PageTable.empty || number == PageTable.grave { continue }
            if let file = slots[index].file.load(ordering: .acquiring) { body(file) }
        }
    }
}
