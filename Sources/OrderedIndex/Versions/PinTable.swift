import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The slots of all pins, in a chain of blocks that only grows.
///
/// Claiming: compare-and-exchange `free` → `announced`, load the published root, store its version.
/// Claim and load are in one total order with the reclaimer's "load the published root, then every
/// slot":
///
/// - The reclaimer sees `announced`: it frees nothing this time.
/// - It sees the version: that is a pin.
/// - It sees `free` from before the claim: then the claim, and the reader's load of the published
///   root after it, come after the reclaimer's load of that root; the reader gets that root or a
///   newer committed one, and the reclaimer counts all of those as pinned.
///
/// So claiming needs no second look at the published root, and never waits.
final class PinTable: @unchecked Sendable {
    private static let stride = 128
    private static let candidateCount = 16

    private struct Block: ~Copyable {
        let slots: UnsafeMutableRawPointer
        let count: Int
        let next = Atomic<UnsafeMutablePointer<Block>?>(nil)

        init(count: Int) {
            self.count = count
            slots = .allocate(byteCount: count * PinTable.stride, alignment: PinTable.stride)
            var following: UnsafeMutablePointer<PinSlot>?
            for index in (0..<count).reversed() {
                let slot = (slots + index * PinTable.stride)
                    .bindMemory(to: PinSlot.self, capacity: 1)
                slot.initialize(to: PinSlot(next: following))
                following = slot
            }
        }

        deinit { slots.deallocate() }

        func slot(_ index: Int) -> UnsafeMutablePointer<PinSlot> {
            (slots + index * PinTable.stride).assumingMemoryBound(to: PinSlot.self)
        }
    }

    private let first: UnsafeMutablePointer<Block>
    /// For each of a few groups of threads, a slot that is likely free.
    private let candidates: UnsafeMutableRawPointer

    init() {
        first = .allocate(capacity: 1)
        first.initialize(to: Block(count: Self.candidateCount))
        candidates = .allocate(
            byteCount: Self.candidateCount * Self.stride, alignment: Self.stride)
        for index in 0..<Self.candidateCount {
            candidate(index).initialize(to: Atomic(first.pointee.slot(index)))
        }
    }

    deinit {
        var block: UnsafeMutablePointer<Block>? = first
        while let current = block {
            block = current.pointee.next.load(ordering: .relaxed)
            current.deinitialize(count: 1)
            current.deallocate()
        }
        candidates.deallocate()
    }

    private typealias Candidate = Atomic<UnsafeMutablePointer<PinSlot>>

    private func candidate(_ index: Int) -> UnsafeMutablePointer<Candidate> {
        (candidates + index * Self.stride).assumingMemoryBound(to: Candidate.self)
    }

    private func candidateOfThread() -> UnsafeMutablePointer<Candidate> {
        #if canImport(Glibc)
            let thread = UInt(pthread_self())
        #else
            let thread = UInt(bitPattern: pthread_self())
        #endif
        let hash = UInt64(thread >> 8) &* 0x9e37_79b9_7f4a_7c15
        return candidate(Int(hash >> 60))
    }

    /// Claims a slot; it is `announced` now.
    func claim() -> UnsafeMutablePointer<PinSlot> {
        let candidate = candidateOfThread()
        let slot = candidate.pointee.load(ordering: .relaxed)
        let claimed = tryClaim(slot) ? slot : claimAny()
        if let next = claimed.pointee.next { candidate.pointee.store(next, ordering: .relaxed) }
        return claimed
    }

    /// Gives a slot back; what its owner read happens before its next claim or inspection.
    func release(_ slot: UnsafeMutablePointer<PinSlot>) {
        candidateOfThread().pointee.store(slot, ordering: .relaxed)
        slot.pointee.version.store(PinSlot.free, ordering: .releasing)
    }

    @inline(__always)
    private func tryClaim(_ slot: UnsafeMutablePointer<PinSlot>) -> Bool {
        slot.pointee.version.compareExchange(
            expected: PinSlot.free, desired: PinSlot.announced,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    @inline(never)
    private func claimAny() -> UnsafeMutablePointer<PinSlot> {
        var block = first
        while true {
            for index in 0..<block.pointee.count {
                let slot = block.pointee.slot(index)
                if slot.pointee.version.load(ordering: .relaxed) == PinSlot.free, tryClaim(slot) {
                    return slot
                }
            }
            block = block.pointee.next.load(ordering: .acquiring) ?? append(after: block)
        }
    }

    private func append(after block: UnsafeMutablePointer<Block>) -> UnsafeMutablePointer<Block> {
        let added = UnsafeMutablePointer<Block>.allocate(capacity: 1)
        added.initialize(to: Block(count: min(4096, block.pointee.count * 4)))
        let result = block.pointee.next.compareExchange(
            expected: nil, desired: added, ordering: .sequentiallyConsistent)
        if result.exchanged { return added }
        added.deinitialize(count: 1)
        added.deallocate()
        return result.original.unsafelyUnwrapped
    }

    /// Calls `body` with the version and note of each slot that is not free.
    func visitTaken(_ body: (_ version: UInt64, _ note: UInt64) -> Void) {
        var block: UnsafeMutablePointer<Block>? = first
        while let current = block {
            for index in 0..<current.pointee.count {
                let slot = current.pointee.slot(index)
                let version = slot.pointee.version.load(ordering: .sequentiallyConsistent)
                if version == PinSlot.free { continue }
                body(version, slot.pointee.note.load(ordering: .relaxed))
            }
            block = current.pointee.next.load(ordering: .acquiring)
        }
    }
}
