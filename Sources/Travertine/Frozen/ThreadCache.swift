import CPlatform
import Locks
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small cache for each thread: which of its objects a thread last used in place of frozen ones
/// that belong to other threads. It is looked up without a lock.
///
/// A session, and results, may be used by one thread only. A thread that reads frozen ones of
/// another thread has its own session of the same version, and its own copy of the results. The
/// key of an entry is the number of the other thread's session or results, which is never given
/// to another one; the value is this thread's. The other thread's session or results retain that
/// value until this thread ends, and the caller holds them: so the entry need not retain it.
final class ThreadCache {
    private struct Entry {
        var number: UInt64 = 0
        var object: Unmanaged<AnyObject>?
    }

    private struct WeakVersion {
        weak var version: FrozenVersion?
    }

    private let thread = UInt(travertine_current_thread())
    private static let entryCount = 8
    private static let lastNumber = Atomic<UInt64>(0)

    /// A number that nothing else has, greater than those before it; from 1.
    static func nextNumber() -> UInt64 {
        lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// The versions that have a session of the thread.
    private var versions: [WeakVersion] = []
    /// How many there may be before those that are gone are removed.
    private var versionCountMax = 8

    private init() {
        entries = .allocate(capacity: Self.entryCount)
        entries.initialize(repeating: Entry(), count: Self.entryCount)
    }

    deinit {
        for entry in versions { entry.version?.leave(thread) }
        entries.deallocate()
    }

    private static let key = makeThreadKey()

    /// Those of the calling thread.
    static var current: ThreadCache {
        if let known = pthread_getspecific(key) {
            return Unmanaged<ThreadCache>.fromOpaque(known).takeUnretainedValue()
        }
        let made = ThreadCache()
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }

    /// What the thread has for the session or the results with a number.
    func object(for number: UInt64) -> AnyObject? {
        let entry = entries[Int(number & UInt64(Self.entryCount - 1))]
        return entry.number == number ? entry.object?.takeUnretainedValue() : nil
    }

    func enter(_ object: AnyObject, for number: UInt64) {
        entries[Int(number & UInt64(Self.entryCount - 1))] = Entry(
            number: number, object: Unmanaged.passUnretained(object))
    }

    /// Notes that a version has a session of the thread.
    func enter(_ version: FrozenVersion) {
        if versions.contains(where: { $0.version === version }) { return }
        if versions.count >= versionCountMax {
            versions.removeAll { $0.version == nil }
            versionCountMax = max(8, 2 * versions.count)
        }
        versions.append(WeakVersion(version: version))
    }
}
