import Locks
import SegmentLog
import Synchronization
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A machine's disk in memory, which loses, reorders and tears what was not synced, fails any call
/// on demand, and stops between any two of them. The same seed gives the same disk.
///
/// `start()` gives a file system to a process, `startBeside()` one to another process of the same
/// machine. `crash()` stops the machine: every call of these file systems fails from then on, until
/// `start()` gives a new one. `end(_:)` ends one process only: what it wrote stays in the cache,
/// its locks go.
package final class SimulatedDisk: @unchecked Sendable {
    package let assumptions: DiskAssumptions
    let monitor = Monitor()
    // The rest is guarded by `monitor`.
    var random: SeededRandom
    var inodes: [Int: SimulatedInode] = [:]
    var entries: [String: Int] = [:]
    private var durableEntries: [String: Int] = [:]
    private var directories: Set<String> = ["/"]
    private var pendingOperations: [DirectoryOperation] = []
    /// Directories that were renamed since the one that they lie in was synced.
    private var pendingMoves: [DirectoryMove] = []
    /// What distinguishes directories, also when they are renamed.
    private var directoryNumbers: [String: UInt64] = [:]
    private var makingCounts: [String: UInt64] = [:]
    /// The process that has each lock file locked.
    var locks: [String: Int] = [:]
    /// Ranges of files that are locked for open files.
    var rangeLocks: [RangeLock] = []
    /// The numbers of the processes that live, with the files that each has open.
    private var processes: [Int: Int] = [:]
    private var nextProcess = 1
    /// What happens in other processes before a call of one.
    private var interludes: [Int: () -> Void] = [:]
    private let hasInterludes = Atomic<Bool>(false)
    private var isStopped = true
    private var nextInode = 1
    private var faults: [Int: DiskFault] = [:]
    private var calls = 0
    private var trace: [String] = []
    private var quota = Int.max
    private var openFileLimit = Int.max
    private let fileCapacity: Int
    private var observer: ((String) -> Void)?

    /// A range of a file that is locked for an open file, as `F_OFD_SETLK` does.
    struct RangeLock {
        var inode: Int
        var range: Range<UInt64>
        var owner: ObjectIdentifier
        var process: Int
    }

    /// How two names can share bytes on a disk.
    package enum Sharing: Sendable {
        /// Not at all: files are copied.
        case none
        case links
        case clones
    }

    /// How two names can share bytes on this disk. Set before use.
    package var sharing = Sharing.none

    /// The `errno` value of calls to a machine that crashed; no system uses it.
    package static let crashCode: CInt = 4242

    /// - Parameter fileCapacity: the largest size that a file can have.
    package init(
        seed: UInt64, assumptions: DiskAssumptions = DiskAssumptions(),
        fileCapacity: Int = 64 << 20
    ) {
        random = SeededRandom(scattering: seed)
        self.assumptions = assumptions
        self.fileCapacity = fileCapacity
    }

    // MARK: What a test does

    /// Switches the machine on and gives the file system of a process; any others have ended.
    package func start() -> SimulatedFileSystem {
        monitor.withLock {
            isStopped = false
            processes.removeAll()
            interludes.removeAll()
            locks.removeAll()
            rangeLocks.removeAll()
            return makeProcess()
        }
    }

    /// The file system of one more process of the machine.
    package func startBeside() -> SimulatedFileSystem { monitor.withLock { makeProcess() } }

    private func makeProcess() -> SimulatedFileSystem {
        defer { nextProcess += 1 }
        processes[nextProcess] = 0
        return SimulatedFileSystem(disk: self, process: nextProcess)
    }

    /// Ends a process, as `kill -9` does.
    package func end(_ fileSystem: SimulatedFileSystem) {
        monitor.withLock {
            let process = fileSystem.process
            processes[process] = nil
            interludes[process] = nil
            locks = locks.filter { $0.value != process }
            rangeLocks.removeAll { $0.process == process }
        }
    }

    /// Calls `body` before each call of a process, on its thread and without the disk's lock: what
    /// it does with file systems of other processes comes between two calls of that one. Nil for
    /// nothing.
    package func setInterlude(before fileSystem: SimulatedFileSystem, _ body: (() -> Void)?) {
        monitor.withLock {
            interludes[fileSystem.process] = body
            hasInterludes.store(!interludes.isEmpty, ordering: .relaxed)
        }
    }

    /// Lets other processes have their turn before a call of one.
    func letOthersRun(before process: Int) {
        guard hasInterludes.load(ordering: .relaxed) else { return }
        monitor.withLock { interludes[process] }?()
    }

    /// Stops the machine. What was not synced is kept, dropped or torn at random.
    package func crash() {
        monitor.withLock {
            isStopped = true
            faults.removeAll()
            crashDirectories()
            crashMoves()
            for inode in inodes.values.sorted(by: { $0.number < $1.number }) {
                inode.crash(&random, assumptions)
            }
            forgetNameless()
        }
    }

    // Files without a name, kept for the sake of mappings that a dead process still has.
    private var lost: [SimulatedInode?] = []

    /// Makes call number `call`, counted from now on with 0, go wrong.
    package func setFault(_ fault: DiskFault, atCall call: Int) {
        monitor.withLock { faults[calls + call] = fault }
    }

    /// No more faults.
    package func clearFaults() { monitor.withLock { faults.removeAll() } }

    /// Calls `observer` with the name of each call, before its work, on the thread of the call and
    /// with the disk's lock held; nil for none.
    package func setObserver(_ observer: ((String) -> Void)?) {
        monitor.withLock { self.observer = observer }
    }

    /// Calls so far.
    package var callCount: Int { monitor.withLock { calls } }

    /// The names of the last calls, the newest last.
    package var recentCalls: [String] { monitor.withLock { trace.suffix(20) } }

    /// True since a crash, until `start`.
    package var hasCrashed: Bool { monitor.withLock { isStopped } }

    /// Limits the space that all files together may take.
    package func setQuota(byteCount: Int) { monitor.withLock { quota = byteCount } }

    /// Limits the files that a process may have open at a time: opening more fails with EMFILE.
    package func setOpenFileLimit(_ count: Int) { monitor.withLock { openFileLimit = count } }

    /// The files that are open now.
    package var openFiles: Int { monitor.withLock { processes.values.reduce(0, +) } }

    /// The space that all files take.
    package var usedByteCount: Int { monitor.withLock { used } }

    /// A file's contents as the machine sees them; nil when there is no such file.
    package func contents(of path: String) -> [UInt8]? {
        monitor.withLock { entries[path].flatMap { inodes[$0] }?.contents }
    }

    /// Replaces a file's contents, cached and durable.
    package func setContents(of path: String, _ bytes: [UInt8]) {
        monitor.withLock {
            let inode = entries[path].flatMap { inodes[$0] } ?? makeInode(path)
            inode.truncate(0)
            bytes.withUnsafeBytes { inode.write($0, at: 0) }
            inode.sync()
            durableEntries[path] = inode.number
        }
    }

    /// Flips bits of one byte of a file, cached and durable.
    package func corrupt(_ path: String, at offset: Int, mask: UInt8 = 0xff) {
        monitor.withLock { entries[path].flatMap { inodes[$0] }?.corrupt(at: offset, mask: mask) }
    }

    /// Removes a file, cached and durable, as a human does.
    package func lose(_ path: String) {
        monitor.withLock {
            let number = entries.removeValue(forKey: path)
            durableEntries[path] = nil
            // What was not synced must not bring it back.
            pendingOperations.removeAll { $0.makes(path) }
            guard let number else { return }
            let isNamed =
                entries.values.contains(number) || durableEntries.values.contains(number)
            if !isNamed { lost.append(inodes.removeValue(forKey: number)) }
        }
    }

    /// Removes the files of a directory, cached and durable.
    package func loseDirectory(_ path: String) {
        for file in paths where file.hasPrefix(path + "/") { lose(file) }
    }

    /// The paths of all files.
    package var paths: [String] { monitor.withLock { entries.keys.sorted() } }

    // MARK: What calls do, under the lock

    /// What a call does, besides its work.
    enum Verdict {
        case proceed
        case fail(CInt)
        case short
        /// Do the work, then stop the machine.
        case stopAfter
    }

    /// Makes a call of a process: runs `body` under the lock, unless the call is to fail.
    ///
    /// - Parameter onFailure: what a call that fails does to the disk all the same.
    func call<R>(
        _ operation: String, _ path: String, process: Int, onFailure: () -> Void,
        _ body: () throws(FileSystemError) -> R
    ) throws(FileSystemError) -> R {
        // What a stopped machine's call made, a file perhaps, goes after the lock: it locks too.
        var unused: R?
        defer { withExtendedLifetime(unused) {} }
        letOthersRun(before: process)
        monitor.lock()
        defer { monitor.unlock() }
        switch verdict("\(operation) \(path)", process: process) {
        case .fail(let code) where code == EINTR: return try body()
        case .fail(let code):
            if code != Self.crashCode { onFailure() }
            throw SimulatedFileSystem.error(operation, path, code)
        case .proceed, .short: return try body()
        case .stopAfter:
            unused = try body()
            stop()
            throw SimulatedFileSystem.error(operation, path, Self.crashCode)
        }
    }

    /// Counts a call and decides what becomes of it.
    func verdict(_ name: String, process: Int) -> Verdict {
        if isStopped || processes[process] == nil { return .fail(Self.crashCode) }
        let number = calls
        calls += 1
        trace.append(name)
        if trace.count > 200 { trace.removeFirst(100) }
        observer?(name)
        switch faults[number] {
        case nil: return .proceed
        case .inputOutput: return .fail(EIO)
        case .noSpace: return .fail(ENOSPC)
        case .noPermission: return .fail(EACCES)
        case .interrupted: return .fail(EINTR)
        case .short: return .short
        case .crashBefore:
            isStopped = true
            return .fail(Self.crashCode)
        case .crashDuring: return .stopAfter
        }
    }

    func stop() { isStopped = true }

    /// Counts a file that a process opens; false when it has too many.
    func didOpen(process: Int) -> Bool {
        guard let count = processes[process], count < openFileLimit else { return false }
        processes[process] = count + 1
        return true
    }

    func didClose(process: Int) {
        if let count = processes[process] { processes[process] = count - 1 }
    }

    /// Locks a range of a file for an open file, unless another one has locked a part of it.
    func lock(_ lock: RangeLock) -> Bool {
        if isLocked(lock) { return false }
        rangeLocks.append(lock)
        return true
    }

    /// Whether another open file has locked a part of a range.
    func isLocked(_ lock: RangeLock) -> Bool {
        rangeLocks.contains {
            $0.inode == lock.inode && $0.owner != lock.owner && $0.range.overlaps(lock.range)
        }
    }

    /// A file without a name takes no space, even if the disk could still bring its name back.
    var used: Int {
        Set(entries.values).reduce(0) {
            $0 + (inodes[$1]?.blocks.count ?? 0) * SimulatedInode.blockByteCount
        }
    }

    /// True when so many more blocks fit into the quota.
    func hasRoom(blocks: Int) -> Bool {
        quota == Int.max || used + blocks * SimulatedInode.blockByteCount <= quota
    }

    var freeByteCount: Int { quota == Int.max ? 1 << 40 : max(quota - used, 0) }

    @discardableResult
    func makeInode(_ path: String) -> SimulatedInode {
        let inode = SimulatedInode(number: nextInode, capacity: fileCapacity)
        nextInode += 1
        inodes[inode.number] = inode
        entries[path] = inode.number
        pendingOperations.append(.set(path, inode.number))
        return inode
    }

    func makeDirectory(_ path: String) {
        directories.insert(path)
        // A number that the path alone decides, the first time: directories have no inode here.
        let hash = path.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        directoryNumbers[path] = hash &+ makingCounts[path, default: 0]
        makingCounts[path, default: 0] += 1
    }

    func isDirectory(_ path: String) -> Bool { directories.contains(path) }

    /// What a directory has instead of an inode.
    func number(ofDirectory path: String) -> UInt64 { directoryNumbers[path] ?? 0 }

    /// Gives a directory another name, that of an empty one perhaps. Not durable before the
    /// directory is synced that it lies in.
    func renameDirectory(_ source: String, _ target: String) {
        let replaces = directories.contains(target)
        // What was removed from the one that is replaced, and may not be durably so, goes with it.
        durableEntries = durableEntries.filter { !$0.key.hasPrefix(target + "/") }
        pendingOperations.removeAll { $0.directory == target }
        move(source, target)
        pendingMoves.append(
            DirectoryMove(source: source, target: target, replaces: replaces))
    }

    private func move(_ source: String, _ target: String) {
        func moved(_ path: String) -> String {
            path.hasPrefix(source + "/") ? target + path.dropFirst(source.count) : path
        }
        entries = Dictionary(uniqueKeysWithValues: entries.map { (moved($0), $1) })
        durableEntries = Dictionary(uniqueKeysWithValues: durableEntries.map { (moved($0), $1) })
        pendingOperations = pendingOperations.map { $0.moved(moved) }
        directories.remove(source)
        directories.insert(target)
        directoryNumbers[target] = directoryNumbers.removeValue(forKey: source)
    }

    /// Takes back some of the renames that were not synced.
    private func crashMoves() {
        for pending in pendingMoves.reversed()
        where random.chance(50) && isDirectory(pending.target) && !isDirectory(pending.source) {
            move(pending.target, pending.source)
            if pending.replaces { makeDirectory(pending.target) }
        }
        pendingMoves.removeAll()
    }

    /// Removes an empty directory; false if it isn't one.
    func removeDirectory(_ path: String) -> Bool {
        guard !entries.keys.contains(where: { Self.parent(of: $0) == path }) else { return false }
        return directories.remove(path) != nil
    }

    /// Gives a file another name.
    func addEntry(_ path: String, _ number: Int) {
        entries[path] = number
        pendingOperations.append(.set(path, number))
    }

    func removeEntry(_ path: String) {
        guard entries.removeValue(forKey: path) != nil else { return }
        pendingOperations.append(.remove(path))
    }

    /// Lets go of files that neither the machine nor the disk can name any more.
    private func forgetNameless() {
        let kept = Set(entries.values).union(durableEntries.values)
        for number in Array(inodes.keys)
        where !kept.contains(number) && !pendingOperations.contains(where: { $0.names(number) }) {
            lost.append(inodes.removeValue(forKey: number))
        }
    }

    func renameEntry(_ source: String, _ target: String) {
        guard let number = entries.removeValue(forKey: source) else { return }
        entries[target] = number
        pendingOperations.append(.rename(source, target, number))
    }

    func syncDirectory(_ path: String) {
        for operation in pendingOperations where operation.directory == path { apply(operation) }
        pendingOperations.removeAll { $0.directory == path }
        pendingMoves.removeAll { Self.parent(of: $0.target) == path }
        forgetNameless()
    }

    /// A directory sync that failed: a first part of the operations made it.
    func failSyncDirectory(_ path: String) {
        let concerned = pendingOperations.filter { $0.directory == path }
        let done = random.below(concerned.count + 1)
        for operation in concerned.prefix(done) { apply(operation) }
        pendingOperations.removeAll { $0.directory == path }
        if assumptions.failedDirectorySyncKeepsChanges {
            pendingOperations += concerned.dropFirst(done)
        }
    }

    private func apply(_ operation: DirectoryOperation) {
        switch operation {
        case .set(let path, let number): durableEntries[path] = number
        case .remove(let path): durableEntries[path] = nil
        case .rename(let source, let target, let number):
            durableEntries[source] = nil
            durableEntries[target] = number
        }
    }

    private func crashDirectories() {
        let count = random.below(pendingOperations.count + 1)
        for (index, operation) in pendingOperations.enumerated() {
            let isKept =
                assumptions.directoryOperationsAreOrdered
                ? index < count : random.chance(50)
            guard isKept else { continue }
            if case .rename(let source, let target, _) = operation,
                !assumptions.renameIsAtomic, random.chance(30)
            {
                durableEntries[source] = nil
                durableEntries[target] = nil
            } else {
                apply(operation)
            }
        }
        pendingOperations.removeAll()
        entries = durableEntries.filter { inodes[$0.value] != nil }
        durableEntries = entries
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
