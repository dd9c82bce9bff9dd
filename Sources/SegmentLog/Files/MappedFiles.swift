import Locks
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files that this process has mapped, and how the kernel is to read them.
///
/// While they fit into memory no advice is given: a miss reads what is around it, and so opening
/// and scans have few misses. Once they have more bytes than three quarters of the memory that the
/// process can have, most misses would throw out as much as they bring in: then all of them, and
/// those that follow, are `MADV_RANDOM`, so that a miss reads its page alone, and callers that know
/// what they will read next ask for it (`willNeed`). It stays so, also after files are unmapped.
package final class MappedFiles: Sendable {
    /// Those of this process.
    package static let shared = MappedFiles(memoryByteCount: MachineMemory.byteCount)

    private let memoryByteCount: Int
    private let state = Locked(State())
    private let exceeds = Atomic<Bool>(false)

    private struct State {
        /// The bytes of each mapping, by its address.
        var mappings: [UInt: Int] = [:]
        var byteCount = 0
    }

    init(memoryByteCount: Int) { self.memoryByteCount = memoryByteCount }

    /// Whether the files are more than memory holds.
    package var exceedMemory: Bool { exceeds.load(ordering: .relaxed) }

    func add(_ base: UnsafeRawPointer, byteCount: Int) {
        state.withLock { state in
            state.mappings[UInt(bitPattern: base)] = byteCount
            state.byteCount += byteCount
            if exceedMemory {
                Self.adviseRandom(UInt(bitPattern: base), byteCount)
            } else if state.byteCount > memoryByteCount / 4 * 3 {
                exceeds.store(true, ordering: .relaxed)
                for (base, byteCount) in state.mappings { Self.adviseRandom(base, byteCount) }
            }
        }
    }

    /// Call it before the mapping ends: its address may be another's right after.
    func remove(_ base: UnsafeRawPointer) {
        state.withLock { state in
            state.byteCount -= state.mappings.removeValue(forKey: UInt(bitPattern: base)) ?? 0
        }
    }

    private static func adviseRandom(_ base: UInt, _ byteCount: Int) {
        // Advice that is refused changes nothing.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: base), byteCount, MADV_RANDOM)
    }

    /// Has the pages of some mapped bytes read, without waiting for them.
    package static func willNeed(_ bytes: UnsafeRawPointer, byteCount: Int) {
        let start = UInt(bitPattern: bytes) & ~UInt(pageByteCount - 1)
        let end = UInt(bitPattern: bytes) + UInt(byteCount)
        _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_WILLNEED)
    }

    static let pageByteCount = sysconf(Int32(_SC_PAGESIZE))
}
