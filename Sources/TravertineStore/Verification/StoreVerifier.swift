import OrderedIndex
import SegmentLog

/// Verifies a store that nobody has open: what `travertine fsck` does. Nothing is changed.
///
/// Steps, in order:
/// 1. `verifyManifest`: the manifest decodes.
/// 2. `verifySegments`: every header, batch and record of every segment matches its checksum.
/// 3. `verifyLog`: the log replays as a whole, without a gap, up to what is known to be durable.
/// 4. `verifyCheckpoints`: every page of every kept checkpoint matches its checksum, every tree is
///    well formed, and checkpoint and log behind it give the same keys and places as the whole log.
/// 5. `verifyIndex`: every place in the index holds a record of that key.
/// 6. `verifyFiles`: nothing lies in the directory that does not belong there.
public struct StoreVerifier {
    private let path: String
    private let environment: Environment
    private let progress: ((VerificationProgress) -> Void)?
    private var report: VerificationReport
    /// Stretches of segments that are no batches; whether they matter, the whole log tells.
    private var damage: [LogDamage] = []
    private var verifiedByteCount: UInt64 = 0
    private var totalByteCount: UInt64 = 0

    /// Verifies the store in a directory and reports what was found.
    ///
    /// Reads every byte once or twice and holds the index in memory; the store must not be open.
    ///
    /// - Throws: `.notFound`, `.notADirectory`, `.notAStore`, `.newerFormat`, `.locked`,
    ///   `.permissionDenied`: what prevents a verification. Damage is in the report instead.
    public static func verify(
        path: String, progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        try verify(path: path, environment: .system, progress: progress)
    }

    package static func verify(
        path: String, environment: Environment,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        var verifier = StoreVerifier(
            path: path, environment: environment, progress: progress,
            report: VerificationReport(path: path))
        try verifier.run()
        return verifier.report
    }

    private mutating func run() throws(StoreError) {
        let fileSystem = environment.fileSystem
        let names: [String]
        do {
            names = try fileSystem.list(path).sorted()
        } catch {
            throw StoreError(error)
        }
        let manifest = try verifyManifest(names)
        let lock = try StoreLock(directory: path, fileSystem: fileSystem)
        defer { lock.release() }
        try verifySegments(names, manifest)
        guard let manifest else {
            reportDamage(as: .error)
            return
        }
        report.wasClosedCleanly = manifest.isClean
        if let whole = verifyLog(manifest) {
            // Replay has verified every batch that counts: what is left can be ignored.
            reportDamage(as: manifest.isClean ? .warning : .note)
            verifyCheckpoints(manifest, against: whole)
            verifyIndex(whole)
        } else {
            reportDamage(as: .error)
        }
        verifyFiles(names, manifest)
    }

    // MARK: Steps

    private mutating func verifyManifest(_ names: [String]) throws(StoreError) -> Manifest? {
        do {
            if let manifest = try ManifestFile.read(
                in: path, fileSystem: environment.fileSystem)
            {
                return manifest
            }
        } catch {
            guard error.code == .damaged || error.code == .notAStore else { throw error }
            report.add(
                .error, error.message,
                advice: "Without its manifest the store does not open. Restore the file from a "
                    + "backup; the segments beside it are verified below.",
                file: StoreFiles.manifest)
            return nil
        }
        guard names.contains(where: { StoreFiles.segmentNumber(of: $0) != nil }) else {
            throw StoreError(.notAStore, "The directory holds no store.", file: path)
        }
        report.add(
            .error, "The manifest is missing.",
            advice: "Without its manifest the store does not open. Restore the file from a backup; "
                + "the segments beside it are verified below.", file: StoreFiles.manifest)
        return nil
    }

    private mutating func verifySegments(
        _ names: [String], _ manifest: Manifest?
    ) throws(StoreError) {
        let segments = names.compactMap { StoreFiles.segmentNumber(of: $0) }
        totalByteCount = UInt64(segments.count)
        for number in segments {
            do {
                let found = try SegmentLog.verifySegment(
                    SegmentNumber(rawValue: number), in: path, identity: manifest?.identity,
                    environment: environment)
                report.segmentCount += 1
                report.batchCount += found.batchCount
                report.recordCount += found.recordCount
                report.byteCount += found.byteCount
                damage += found.damage
            } catch {
                report.add(
                    .error, "The segment can't be read: \(error)",
                    advice: "Check the permissions and the disk.",
                    file: SegmentNumber(rawValue: number).fileName)
            }
            verifiedByteCount += 1
            progress?(
                VerificationProgress(
                    step: "segments", byteCount: verifiedByteCount, totalByteCount: totalByteCount))
        }
    }

    private mutating func reportDamage(as severity: VerificationReport.Finding.Severity) {
        for damage in damage {
            report.add(
                severity, "\(damage.reason).",
                advice: severity == .error
                    ? "These bytes can't be believed. Restore the store from a backup."
                    : "Nothing that counts is lost: the log is whole without these bytes, as after "
                        + "a crash. Opening ignores them.",
                file: damage.file, offset: damage.offset, lsn: damage.lsn?.rawValue)
        }
    }

    /// Replays the whole log: the truth that checkpoints are compared with.
    private mutating func verifyLog(_ manifest: Manifest) -> ReplayedStore? {
        let opening = StoreOpening(path: path, options: options)
        do {
            let opened = try opening.replay(
                behind: nil, manifest, .empty, OpeningReport(source: .fullReplay), [])
            report.lastLSN = opened.report.lastLSN
            if let tail = opened.report.ignoredTail {
                report.add(
                    .note, tail,
                    advice:
                        "It was never acknowledged as durable: a crash leaves this, and opening "
                        + "ignores it. Nothing is to be done.")
            }
            return ReplayedStore(opened)
        } catch {
            report.add(
                .error, error.message,
                advice: "The log is damaged before its durable end, so that the store does not "
                    + "open. Restore it from a backup.",
                file: error.file, offset: error.offset, lsn: error.lsn)
            return nil
        }
    }

    private mutating func verifyCheckpoints(_ manifest: Manifest, against whole: ReplayedStore) {
        let opening = StoreOpening(path: path, options: options)
        for entry in manifest.checkpoints {
            guard let number = entry.file else { continue }
            let name = StoreFiles.pageFile(number)
            let advice =
                "Opening passes it over and uses the checkpoint before it, or the whole "
                + "log. Open and close the store once to have it replaced."
            switch PageFileReader.open(
                entry, directory: path, identity: manifest.identity,
                fileSystem: environment.fileSystem)
            {
            case .failure(let reason):
                report.add(
                    .error, "The checkpoint is damaged: \(reason).", advice: advice, file: name)
            case .success(let pages):
                do {
                    let opened = ReplayedStore(
                        try opening.replay(
                            behind: pages, manifest, entry,
                            OpeningReport(source: .newestCheckpoint), []))
                    verifyPages(of: pages, in: opened, advice)
                    verifyTrees(of: opened, against: whole, name)
                } catch {
                    report.add(
                        .error, "The checkpoint is damaged: \(error.message)", advice: advice,
                        file: name, offset: error.offset)
                }
            }
            progress?(
                VerificationProgress(
                    step: "checkpoints", byteCount: verifiedByteCount,
                    totalByteCount: totalByteCount))
        }
    }

    private mutating func verifyPages(
        of pages: PageFileReader, in opened: ReplayedStore, _ advice: String
    ) {
        report.pageCount += Int(pages.header.pageCount)
        report.byteCount += pages.header.fileByteCount
        for page in opened.index.verifyAllPages(file: pages.header.number) {
            report.add(
                .error, "The checksum of index page \(page) does not match.", advice: advice,
                file: StoreFiles.pageFile(pages.header.number),
                offset: UInt64(PageFileHeader.byteCount)
                    + UInt64(page) * UInt64(PageFileHeader.pageByteCount))
        }
    }

    private mutating func verifyTrees(
        of opened: ReplayedStore, against whole: ReplayedStore, _ name: String
    ) {
        let advice =
            "The index and the log disagree. Remove the page files named in this report "
            + "after a backup; opening then rebuilds the index from the log."
        do {
            let (left, right) = (opened.access, whole.access)
            if left.treeCount != right.treeCount {
                report.add(
                    .error,
                    "The checkpoint has \(left.treeCount) keyspaces, the log \(right.treeCount).",
                    advice: advice, file: name)
                return
            }
            for keyspace in 0..<UInt32(left.treeCount) {
                for problem in try opened.index.checkInvariants(left.tree(of: keyspace)) {
                    report.add(
                        .error, "Keyspace \(keyspace): \(problem).", advice: advice, file: name)
                }
                // What waits to be rebuilt is empty, whatever the log says of it.
                if left.tree(of: keyspace).flags & TreeFlags.invalid != 0 { continue }
                let count = try IndexComparison(left, right, keyspace: keyspace).differenceCount()
                if count > 0 {
                    report.add(
                        .error,
                        "Keyspace \(keyspace): \(count) keys differ between the checkpoint and the "
                            + "log.", advice: advice, file: name)
                }
            }
        } catch {
            report.add(
                .error, "The index can't be read: \(StoreError(anyError: error).message)",
                advice: advice, file: name)
        }
    }

    /// Checks that every place in the index of the whole log holds a record of that key.
    private mutating func verifyIndex(_ whole: ReplayedStore) {
        let access = whole.access
        for keyspace in 0..<UInt32(access.treeCount) {
            report.keyCount += access.count(in: keyspace)
            if access.tree(of: keyspace).flags & TreeFlags.derived != 0 { continue }
            do {
                var cursor = access.cursor(in: keyspace)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let location = Location(rawValue: cursor.indexValue)
                    let record = try access.segments.verifiedRecord(at: location)
                    let isSame = cursor.withKey {
                        record.keyspace == keyspace && record.key.elementsEqual($0)
                    }
                    if !isSame {
                        report.add(
                            .error, "A key of keyspace \(keyspace) points to another key's record.",
                            advice: "This is a defect of the index; please report it.",
                            offset: UInt64(location.offset))
                    }
                    isValid = try cursor.next()
                }
            } catch {
                let error = StoreError(anyError: error)
                report.add(
                    .error, error.message, advice: "Restore the store from a backup.",
                    file: error.file, offset: error.offset, lsn: error.lsn)
            }
        }
    }

    private mutating func verifyFiles(_ names: [String], _ manifest: Manifest) {
        let kept = Set(manifest.checkpoints.compactMap(\.file))
        for name in names {
            if [StoreFiles.manifest, StoreFiles.lock].contains(name) { continue }
            if StoreFiles.segmentNumber(of: name) != nil { continue }
            // A cache, which compaction makes anew when it is not as it must be.
            if StoreFiles.keyHashFileNumber(of: name) != nil { continue }
            if let number = StoreFiles.pageFileNumber(of: name) {
                if kept.contains(number) { continue }
                report.add(
                    .note, "No checkpoint needs this page file.",
                    advice: "The next opening for writing removes it.", file: name)
            } else {
                report.add(
                    .warning, "This file does not belong to the store.",
                    advice: name == StoreFiles.newManifest
                        ? "A crash while the manifest was replaced leaves it; it is harmless."
                        : "Move it elsewhere.", file: name)
            }
        }
    }

    private var options: StoreOptions {
        var options = StoreOptions()
        options.readMode = .verified
        options.environment = environment
        return options
    }
}

/// A log and an index that were built for verification, read as a store reads them.
final class ReplayedStore {
    let log: SegmentLog
    let index: Index
    private let pages: [AttachedPages]
    private let pin: IndexPin

    init(_ opened: consuming OpenedStore) {
        log = opened.log
        index = opened.index
        pages = opened.pages
        pin = opened.index.pin(note: 0)
    }

    deinit { index.unpin(pin) }

    /// The read path over the newest version.
    var access: ReadAccess {
        ReadAccess(
            index: index.reader, segments: log.reader, trees: pin.root.pointee.trees,
            treeCount: pin.root.pointee.treeCount, pending: nil)
    }
}
