import StoreMaintenance
import TravertineStore

/// Makes stores of the points of a backup.
///
/// Needs only to read, and may run beside a shipper: of a point that is pruned in the meantime the
/// objects stay for an hour (U7).
public struct Restorer: Sendable {
    let storage: any BackupStorage
    /// Parts that are read at the same time, each of up to 8 MiB in memory.
    public var readCountMax = 4
    /// Whether a key is not used for a store that is not encrypted; else it is refused then.
    public var ignoresUnneededKey = false
    /// Begins to build a store at a path: tests have it on another disk.
    public var openAssembly: @Sendable (String, EncryptionKey?) throws -> StoreAssembly = {
        try StoreAssembly(at: $0, encryptionKey: $1)
    }

    /// A restorer of a backup.
    public init(storage: any BackupStorage) { self.storage = storage }

    /// The points that can be restored, by their numbers, and the histories that they belong to.
    ///
    /// Where the object `manifest` was deleted or damaged these are the archived points: all but
    /// the newest one, which the manifest has. Costs a request for each 1,000 points.
    ///
    /// - Throws: `ShippingError.noBackup`, `.notABackup`, `.newerFormat`, `.damaged`;
    ///   `StorageFailure`.
    public func contents() async throws -> BackupContents {
        let reader = PointReader(storage: storage)
        do {
            guard let manifest = try await reader.manifest()?.manifest else {
                throw ShippingError.noBackup
            }
            let newest = manifest.point?.number ?? 0
            return BackupContents(
                manifest, archived: try await reader.archivedPoints(before: newest))
        } catch let fault as ShippingError {
            switch fault {
            case .noBackup, .notABackup, .damaged: break
            default: throw fault
            }
            // Each archived point is whole by itself (U3).
            let archived = try await reader.archivedPoints(before: .max)
            guard let last = archived.last else { throw fault }
            return BackupContents(
                archived: archived, newest: try await reader.point(last),
                fault == .noBackup ? .manifestDeleted : fault)
        }
    }

    /// Makes a store of a point, or of a commit between two, in a directory that is missing or
    /// empty.
    ///
    /// Everything that is read is compared with its SHA-256, and the store is verified as
    /// `StoreBackup.verify` does before it gets its name. Without the key of an encrypted store
    /// only the first is possible, and of points only.
    ///
    /// - Parameters:
    ///   - selection: Which point, or commit.
    ///   - directory: Where the store will be.
    ///   - progress: Called with the bytes that were read, and all.
    /// - Throws: `ShippingError`; `StorageFailure`; `StoreError` as of `StoreAssembly`. Nothing is
    ///   left at the path then.
    public func restore(
        _ selection: PointSelection = .newest, to directory: String,
        encryptionKey: EncryptionKey? = nil,
        progress: @escaping @Sendable (UInt64, UInt64) -> Void = { _, _ in }
    ) async throws -> RestoreReport {
        let contents = try await contents()
        let plan = try await plan(selection, contents)
        var key = encryptionKey
        if ignoresUnneededKey, try !RestorePlan.image(of: plan.point, plan.files).isEncrypted {
            key = nil
        }
        let assembly = try openAssembly(directory, key)
        do {
            let (lsn, isVerified) = try await build(plan, in: assembly, progress)
            try assembly.finish()
            return RestoreReport(
                point: plan.point.summary, lsn: lsn, requestedLSN: selection.lsn,
                fileCount: plan.files.count, byteCount: plan.byteCount, isVerified: isVerified,
                hasManifest: contents.manifestFault == nil)
        } catch {
            assembly.abandon()
            throw error
        }
    }

    /// Brings all files, rolls them forward if that is planned, and verifies them. Gives the LSN of
    /// the newest commit, and whether the store itself could be verified.
    private func build(
        _ plan: RestorePlan, in assembly: StoreAssembly,
        _ progress: @Sendable (UInt64, UInt64) -> Void
    ) async throws -> (lsn: UInt64, isVerified: Bool) {
        let image = try RestorePlan.image(of: plan.point, plan.files)
        // Before anything is brought: a key may be wrong.
        if try !assembly.canRead(image), let (lsn, later) = plan.forward {
            throw ShippingError.keyNeeded(
                lsn: lsn, point: plan.point.summary, nextPoint: later.summary)
        }
        let total = plan.byteCount
        var done: UInt64 = 0
        for (file, entry) in zip(plan.files, image.files) {
            let target = try assembly.makeFile(entry)
            try await read(file, of: plan.point.number, into: target) { count in
                done += UInt64(count)
                progress(done, total)
            }
            try target.sync()
        }
        guard try assembly.setManifest(image) else { return (plan.point.lsn, false) }
        var found = plan.point.lsn
        if let (lsn, later) = plan.forward {
            found = try assembly.rollForward(
                through: lsn, toward: try RestorePlan.image(of: later, []))
        }
        let report = try assembly.verify()
        guard report.isSound else {
            throw ShippingError.unsound(
                report.findings.filter { $0.severity == .error }.map(\.message))
        }
        return (found, true)
    }

    /// Reads the parts of a file, some at a time, and writes each to its place.
    private func read(
        _ file: ShippedFile, of point: UInt64, into target: StoreAssemblyFile,
        _ note: (Int) -> Void
    ) async throws {
        let parts = file.locatedParts
        let reader = PointReader(storage: storage)
        try await withThrowingTaskGroup(of: Int.self) { group in
            var next = 0
            func add() {
                guard next < parts.count else { return }
                let part = parts[next]
                next += 1
                group.addTask {
                    try Task.checkCancellation()
                    let bytes = try await reader.content(
                        part.key, sha256: part.part.sha256,
                        byteCountMax: PartPlan.partByteCountMax, point: point)
                    guard UInt64(bytes.count) == part.part.end - part.start else {
                        throw ShippingError.damaged(key: part.key, "it has another length")
                    }
                    try target.write(bytes, at: part.start)
                    return bytes.count
                }
            }
            for _ in 0..<readCountMax { add() }
            while let count = try await group.next() {
                note(count)
                add()
            }
        }
    }
}

/// What a restore did.
public struct RestoreReport: Sendable, Hashable, Codable {
    /// The point that it is, or that it went on from.
    public var point: PointSummary
    /// The LSN of the newest commit of the store.
    public var lsn: UInt64
    /// The LSN that was asked for, if one was; nothing was committed between `lsn` and it, as far
    /// as the backup has it.
    public var requestedLSN: UInt64?
    /// Files of the store.
    public var fileCount: Int
    /// The bytes of these.
    public var byteCount: UInt64
    /// Whether the store was verified; false for an encrypted one without its key, of which only
    /// checksums were.
    public var isVerified: Bool
    /// Whether the object `manifest` was there; without it the newest point is not known.
    public var hasManifest = true
}
