import OrderedIndex
import SegmentLog
import TravertineStore

/// The log replayed as a whole, and the checkpoints and records compared with it.
extension StoreVerifier {
    /// Replays the whole log: the truth that checkpoints are compared with.
    mutating func verifyLog(_ manifest: Manifest) -> ReplayedStore? {
        let opening = StoreOpening(path: path, options: options)
        do {
            let opened = try opening.replay(
                after: nil, manifest, .empty, OpeningReport(source: .fullReplay), [])
            report.lastLSN = opened.report.lastLSN
            noteTail(opened.report.ignoredTail)
            let whole = ReplayedStore(opened)
            unreachable.formUnion(whole.log.unreachableSegments)
            return whole
        } catch {
            logDamage = logDamage ?? StoreError(anyError: error)
            return nil
        }
    }

    mutating func verifyCheckpoints(_ manifest: Manifest, against whole: ReplayedStore) {
        let opening = StoreOpening(path: path, options: options)
        for entry in manifest.checkpoints {
            guard let number = entry.file else { continue }
            let name = StoreFiles.pageFile(number)
            let advice = Self.checkpointAdvice
            switch opening.openPages(of: entry, manifest.identity) {
            case .failure(let reason):
                if let error = reason.error {
                    obstacle = obstacle ?? error
                    continue
                }
                report.add(
                    .error, "The checkpoint is damaged: \(reason).", advice: advice, file: name)
            case .success(let pages):
                do {
                    let opened = ReplayedStore(
                        try opening.replay(
                            after: pages, manifest, entry,
                            OpeningReport(source: .newestCheckpoint), []))
                    verifyPages(of: pages, in: opened)
                    verifyTrees(of: opened, against: whole, name)
                } catch {
                    if isObstacle(error) { continue }
                    report.add(
                        .error, "The checkpoint is damaged: \(error.message)", advice: advice,
                        file: name, offset: error.offset)
                }
            }
            reportProgress("checkpoints", verifiedByteCount)
        }
    }

    mutating func verifyPages(of pages: PageFileReader, in opened: ReplayedStore) {
        report.pageCount += Int(pages.header.pageCount)
        report.byteCount += pages.header.fileByteCount
        for file in pages.descriptor.pageFiles {
            neededPageFiles.insert(file.number)
            for page in opened.index.verifyAllPages(file: file.number) {
                report.add(
                    .error, "The checksum of index page \(page) does not match.",
                    advice: Self.pageAdvice,
                    file: StoreFiles.pageFile(file.number),
                    offset: UInt64(PageFileHeader.byteCount)
                        + UInt64(page) * UInt64(PageFileHeader.pageByteCount))
            }
        }
    }

    mutating func verifyTrees(
        of opened: ReplayedStore, against whole: ReplayedStore, _ name: String
    ) {
        let advice = Self.indexAdvice
        do {
            let (left, right) = (opened.access, whole.access)
            if left.treeCount != right.treeCount {
                report.add(
                    .error,
                    "The checkpoint has \(left.treeCount) keyspaces, the log \(right.treeCount).",
                    advice: advice, file: name)
                return
            }
            for keyspace in KeyspaceID.ofTrees(0..<left.treeCount) {
                for problem in try opened.index.checkInvariants(left.tree(of: keyspace)) {
                    report.add(
                        .error, "Keyspace \(keyspace): \(problem).", advice: advice, file: name)
                }
                // What waits to be rebuilt is empty, whatever the log says of it; and a log of
                // which compaction has taken parts does not show what a derived keyspace holds.
                let flags = left.tree(of: keyspace).flags | right.tree(of: keyspace).flags
                if flags & TreeFlags.invalid != 0 { continue }
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
    mutating func verifyIndex(_ access: ReadAccess) {
        for keyspace in KeyspaceID.ofTrees(0..<access.treeCount) {
            report.keyCount += access.count(in: keyspace)
            if access.tree(of: keyspace).flags & TreeFlags.derived != 0 { continue }
            var packs: (location: Location, entries: PackExpansion)?
            do {
                var cursor = access.cursor(in: keyspace)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let location = Location(rawValue: cursor.indexValue)
                    let isSame = try cursor.withKey {
                        try access.segments.holdsKey($0, in: keyspace, at: location, &packs)
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
                    .error, error.messageOfFinding, advice: Self.recordAdvice,
                    file: error.file, offset: error.offset, lsn: error.lsn)
            }
        }
    }
}
