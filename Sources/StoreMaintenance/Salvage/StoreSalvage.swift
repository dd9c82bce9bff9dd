import SegmentLog
import TravertineStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Gets records back from what is left of a store: what `travertine recover` does.
///
/// Reads any files, finds batches and records in them by their checksums alone, and writes the
/// newest version of every key to a new store. The sources are never written to. Names and places
/// of files, the manifest and the checkpoints may all be missing or wrong.
///
/// Steps, in order:
/// 1. `scan`: every file is searched for segment headers, batches and single records.
/// 2. `SalvagePlan`: the batches of one store are put in the order of their LSNs.
/// 3. `SalvageReplay` and `takeStrays`: the newest version of each key is found.
/// 4. `SalvageWriter`: it is written to the new store, which is then closed. Until that is done the
///    store has `.recovering` after its name (`StorePlace`): a part is never taken for the whole.
public struct StoreSalvage {
    /// Which versions are taken.
    public enum Preference: String, Sendable, Codable, CaseIterable {
        /// The newest intact version of every key, wherever batches are missing.
        case newest
        /// All transactions up to the first that is not whole, and nothing later.
        case consistent
    }

    /// How the new store is opened; the files are read through the same environment.
    private let options: StoreOptions
    private var environment: Environment { options.environment }
    var fileSystem: FileSystem { options.environment.fileSystem }
    private let progress: (SalvageProgress) -> Void
    private(set) var sources: [SalvageSource] = []
    /// What the manifest says against the key.
    private var keyError: StoreError?
    private(set) var evidence = SalvageEvidence()
    /// Where the log ends, as far as it is known.
    private(set) var end = LogEnd()
    /// What the newest retirement table that was found takes out of the log.
    private(set) var retired = RetirementTable()
    var report: SalvageReport

    /// Salvages the store in `directory`, or what the files hold, to a new store at `target`.
    ///
    /// - Parameters:
    ///   - directory: The damaged store; nil if only `files` are to be read.
    ///   - files: More files: segments from elsewhere, or images of disks.
    ///   - target: Where the new store is made: an empty directory, or none.
    ///   - preference: Which versions are taken.
    ///   - storeUUID: Which store to take if the sources hold several; nil for the one that the
    ///     manifest names, or the one with the most bytes.
    ///   - key: The key of an encrypted store; the new one has it too.
    ///   - progress: Called on the thread of the caller, now and then.
    /// - Throws: `.notFound`, `.notADirectory`, `.permissionDenied`, `.locked` when a process has
    ///   the store open, `.misuse` when `target` holds something, lies in the damaged directory,
    ///   or there is nothing to read, `.notAStore` when nothing of a store was found, and what
    ///   writing a store throws.
    public static func recover(
        directory: String?, files: [String] = [], to target: String,
        preference: Preference = .newest, storeUUID: String? = nil, key: EncryptionKey? = nil,
        progress: @escaping (SalvageProgress) -> Void = { _ in }
    ) throws(StoreError) -> SalvageReport {
        var options = StoreOptions()
        options.encryptionKey = key
        return try recover(
            directory: directory, files: files, to: target, preference: preference,
            storeUUID: storeUUID, options: options, progress: progress)
    }

    package static func recover(
        directory: String?, files: [String] = [], to target: String,
        preference: Preference = .newest, storeUUID: String? = nil, options: StoreOptions,
        progress: @escaping (SalvageProgress) -> Void = { _ in }
    ) throws(StoreError) -> SalvageReport {
        var salvage = StoreSalvage(
            options: options, progress: progress,
            report: SalvageReport(preference: preference))
        do {
            let wanted = try storeUUID.map { (text) throws(StoreError) in
                guard let identity = StoreIdentity(uuid: text) else {
                    throw StoreError(.misuse, "“\(text)” is not a UUID.")
                }
                return identity
            }
            try StorePlace.check(
                target, for: .recovering, apartFrom: [directory].compactMap(\.self) + files,
                fileSystem: options.environment.fileSystem)
            let lock = try directory.flatMap { try salvage.lock($0) }
            defer { lock?.release() }
            try salvage.open(directory, files)
            salvage.scan()
            try salvage.checkKey()
            try salvage.run(directory, target, wanted)
        } catch {
            throw StoreError(anyError: error)
        }
        return salvage.report
    }

    // MARK: Before anything is read

    /// Takes the lock that a program which has the store open would hold. Writes nothing: without
    /// a lock file, or on media that can't be written to, nobody holds it.
    private func lock(_ directory: String) throws -> FileLock? {
        let path = directory + "/" + StoreFiles.lock
        guard environment.fileSystem.exists(path) else { return nil }
        do throws(FileSystemError) {
            return try environment.fileSystem.lock(path)
        } catch {
            guard let holder = error.lockHolder else { return nil }
            throw StoreError(
                .locked, "A process has the store open: \(holder). Close it there first.",
                file: directory)
        }
    }

    private mutating func open(_ directory: String?, _ files: [String]) throws {
        let fileSystem = environment.fileSystem
        if let directory {
            for name in try fileSystem.list(directory).sorted() {
                if name == StoreFiles.manifest { try readManifest(directory) }
                // Whatever its name is: files may have changed places.
                let path = directory + "/" + name
                do {
                    sources.append(
                        try SalvageSource(
                            path: path, isInDirectory: true, fileSystem: fileSystem))
                } catch  where error.code == EISDIR {
                    // `lost+found`, or what a user put there: none of a store's.
                    continue
                } catch {
                    report.notes.append("\(name) could not be opened: \(error.message)")
                }
            }
        }
        for path in files {
            sources.append(
                try SalvageSource(path: path, isInDirectory: false, fileSystem: fileSystem))
        }
        if sources.isEmpty {
            throw StoreError(
                .notAStore, "There is no file to read.", file: directory ?? files.first)
        }
    }

    private mutating func readManifest(_ directory: String) throws {
        do {
            guard
                let manifest = try ManifestFile.read(
                    in: directory, fileSystem: environment.fileSystem)
            else { return }
            evidence.named = manifest
            evidence.lockLSN = try LockEvidence(
                beside: manifest, in: directory, fileSystem: environment.fileSystem
            ).lsn
        } catch {
            // Or its first bytes are damaged: then the segments decide.
            if error.code == .invalidEncryptionKey { keyError = error }
            report.notes.append(error.message)
        }
    }

    // MARK: Scanning

    private mutating func scan() {
        let total = sources.reduce(0) { $0 + UInt64($1.window.byteCount) }
        var done: UInt64 = 0
        let progress = progress
        for place in sources.indices {
            let start = done
            sources[place].fragments = FragmentScanner.scan(sources[place].window, source: place) {
                progress(
                    SalvageProgress(step: "scanning", done: start + UInt64($0), total: total))
            }
            done += UInt64(sources[place].window.byteCount)
        }
        searchUnplaced()
        searchScattered()
    }

    /// If there is no batch under the key, it is the headers of the segments, as they are stored,
    /// that show whether there should be one, or another.
    private func checkKey() throws {
        guard sources.allSatisfy({ $0.fragments.runs.isEmpty }) else { return }
        if let keyError { throw keyError }
        let headers = try sources.flatMap { source in
            let window = try SourceWindow(path: source.path, fileSystem: fileSystem.stored)
            return FragmentScanner.scan(window, source: 0) { _ in }.headers.map(\.header)
        }
        guard let header = headers.first else { return }
        switch (header.algorithm != nil, fileSystem.segmentAlgorithm != nil) {
        case (true, true):
            throw StoreError(
                .invalidEncryptionKey, "No batch of the encrypted segments is one of this key.")
        case (true, false):
            throw StoreError(
                .invalidEncryptionKey,
                "The segments are encrypted. Give the key of their store.")
        case (false, true):
            throw StoreError(
                .invalidEncryptionKey,
                "The segments are not encrypted. Recover them without a key.")
        case (false, false): return
        }
    }

    /// Records far from their batches, in what all of this has left over.
    private mutating func searchScattered() {
        var search = ScatteredSearch()
        for source in sources { search.collect(source.window, source.fragments) }
        search.prepare()
        for place in sources.indices {
            search.search(
                sources[place].window, source: place, into: &sources[place].fragments)
        }
    }

    /// A file whose header and batch headers are all gone: its segment is known only if the segment
    /// after it names its salt.
    private mutating func searchUnplaced() {
        var known: Set<UInt64> = []
        var named: Set<UInt64> = []
        for source in sources {
            for (_, header) in source.fragments.headers {
                known.insert(header.salt)
                if header.predecessor.salt != 0 { named.insert(header.predecessor.salt) }
            }
            known.formUnion(source.fragments.runs.map(\.context.salt))
        }
        let contexts = named.subtracting(known).sorted().map {
            FragmentContext(salt: $0, origin: 0)
        }
        if contexts.isEmpty { return }
        for place in sources.indices where sources[place].isInDirectory {
            for stretch in sources[place].fragments.unplaced {
                sources[place].fragments.skipped.removeAll {
                    stretch.contains($0.position)
                }
                StraySearch.search(
                    sources[place].window, source: place,
                    stretch: stretch.lowerBound & ~7..<stretch.upperBound, contexts: contexts,
                    into: &sources[place].fragments)
            }
        }
    }

    // MARK: Choosing and writing

    private mutating func run(
        _ directory: String?, _ target: String, _ wanted: StoreIdentity?
    ) throws {
        evidence.collect(from: sources)
        let plan = SalvagePlan(sources, named: evidence.named?.identity, wanted: wanted)
        end = evidence.end(of: plan, sources)
        let (table, tableLSN) = SalvageReplay.newestTable(sources, plan)
        retired = table
        let strays = StrayPlacement(plan, sources, retired: retired)
        if plan.runs.isEmpty, strays.placed(sources.flatMap(\.fragments.strays)).isEmpty,
            plan.segments.isEmpty
        {
            throw nothingFound(plan)
        }
        var index = SalvageIndex()
        let outcome = try replay(plan, before: nil, into: index)
        note(plan, outcome)
        switch report.preference {
        case .newest:
            try takeStrays(strays, into: index)
            try takeRetired(plan, retiredAt: tableLSN, into: index)
        case .consistent:
            guard let cut = cut(of: outcome) else { break }
            index = SalvageIndex()
            _ = try replay(plan, before: cut, into: index)
            noteCut(cut, outcome)
        }
        let named = try noteLostVersions(strays, index)
        // All that is after the cut is given up knowingly.
        if report.preference == .newest {
            noteVersionsInLostPlaces(directory, plan, index, named: named)
        }
        noteSources()
        try write(index, to: target)
    }

    private func nothingFound(_ plan: SalvagePlan) -> StoreError {
        let others = plan.otherIdentities.map(\.text).joined(separator: ", ")
        let message =
            others.isEmpty
            ? "Nothing in these files belongs to a store."
            : "Nothing in these files belongs to the store \(plan.identity?.text ?? ""). They hold "
                + "what belongs to \(others): --store UUID takes that."
        return StoreError(.notAStore, message, file: sources.first?.path)
    }

    private func replay(
        _ plan: SalvagePlan, before cut: LSN?, into index: SalvageIndex
    ) throws -> SalvageReplay.Outcome {
        let progress = progress
        return try SalvageReplay.run(
            sources, plan, retired: retired, end: end, before: cut, into: index
        ) {
            progress(SalvageProgress(step: "reading", done: $0, total: $1))
        }
    }

    private func cut(of outcome: SalvageReplay.Outcome) -> LSN? {
        let gap = report.gaps.first.map { LSN(rawValue: $0.firstLSN) }
        let partial = gap == nil ? outcome.openTailLSN : outcome.firstPartialLSN
        return [gap, partial].compactMap(\.self).min()
    }

    private mutating func write(_ index: SalvageIndex, to target: String) throws {
        var options = options
        options.createIfMissing = true
        options.durability = .unsynced
        let place = try StorePlace(
            path: target, for: .recovering, apartFrom: sources.map(\.path),
            fileSystem: environment.fileSystem)
        do {
            try write(index, in: place.workPath, options)
        } catch {
            place.abandon()
            throw error
        }
        try place.finish()
    }

    private mutating func write(
        _ index: SalvageIndex, in directory: String, _ options: StoreOptions
    ) throws {
        let store = try Store.open(at: directory, options: options, isLocked: true)
        let progress = progress
        var report = report
        do {
            try SalvageWriter.write(sources, index, to: store, report: &report) {
                progress(SalvageProgress(step: "writing", done: $0, total: $1))
            }
        } catch {
            // The first error is the one to report.
            _ = capture { () throws(StoreError) in try store.close() }
            throw error
        }
        try store.close()
        self.report = report
    }
}
