#if DEBUG
    import OrderedIndex
    import SegmentLog

    // Compiled into debug builds only: tests call it after random histories. Users' stores are
    // verified by `StoreVerifier`, which trusts nothing that is in memory.

    extension Store {
        /// Checks what must hold of an open store between two write transactions, and returns what
        /// does not, as sentences.
        ///
        /// The rules, by their numbers in `Documentation/Engine.md` and `Documentation/Format.md`:
        ///
        /// | what | rules |
        /// |---|---|
        /// | each tree is sorted, balanced and counted | N1–N6 |
        /// | versions, pins and the nodes that they hold | Engine 3 |
        /// | keyspaces and trees are the same | Engine 4.4, T8, T9 |
        /// | each entry leads to a whole record of its key, within the end of a segment | log 5 |
        /// | no entry leads into a segment that was retired | log 9, M4 |
        /// | live bytes are those of the records that the newest version leads to | C5 |
        /// | two checkpoints are kept, in order, not beyond what is durable | C1, C2 |
        /// | page files that the newest version refers to are kept | C9 |
        /// | checkpoints have their files, also the segments in which replay begins | C2, C8, M1 |
        ///
        /// Reads every key, every record and every page: for small stores. Waits for the write
        /// transaction, the step of compaction and the checkpoint that are under way. The disk must
        /// be one that damages nothing: what can't be read is thrown, or reported as wrong.
        ///
        /// - Throws: `.misuse` inside a write transaction of the same thread; `.closed`, `.forked`,
        ///   `.damaged`, `.io`.
        package func checkInvariants() throws(StoreError) -> [String] {
            try checkUsable()
            try loadOlderSegments()
            compaction.stepping.lock()
            defer { compaction.stepping.unlock() }
            checkpoints.writing.lock()
            defer { checkpoints.writing.unlock() }
            try gate.enter()
            defer { gate.leave() }
            var check = InvariantCheck(store: self)
            try check.checkIndex()
            check.checkKeyspaces()
            try check.checkRecords()
            check.checkUsage()
            check.checkRetiredSegments()
            check.checkCheckpoints()
            return check.problems
        }
    }

    /// One look at a store. Its user holds the gate.
    private struct InvariantCheck {
        private let store: Store
        private let root: UnsafePointer<RootHeader>
        private let access: ReadAccess
        /// The segments of the log, by number.
        private let segments: [SegmentNumber: SegmentSummary]
        /// The segment that is appended to.
        private let newest: SegmentNumber?
        /// What the records that the newest version leads to take, by segment.
        private var counted = SegmentUsage()
        private(set) var problems: [String] = []

        init(store: Store) {
            self.store = store
            root = store.index.newestRoot
            access = ReadAccess(
                index: store.index.reader, segments: store.log.reader, trees: root.pointee.trees,
                treeCount: root.pointee.treeCount, pending: nil)
            segments = Dictionary(
                store.log.segments.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
            newest = segments.keys.max()
        }

        private mutating func note(_ problem: String) {
            if problems.count < 100 { problems.append(problem) }
        }

        // MARK: The index (N1–N6, C9)

        mutating func checkIndex() throws(StoreError) {
            do {
                for problem in try store.index.checkVersions() { note("Index: \(problem).") }
                // Pages that nodes in memory equal need no attached file, but a kept one.
                let kept = store.checkpoints.filesInUse
                for file in try store.index.livePageCounts(of: root).keys
                where !kept.contains(file) {
                    note("The newest version refers to page file \(file), which is not kept.")
                }
                for number in 0..<root.pointee.treeCount {
                    let tree = root.pointee.tree(number)
                    for problem in try store.index.checkInvariants(tree) {
                        note("Keyspace \(number): \(problem).")
                    }
                }
            } catch {
                throw StoreError(anyError: error)
            }
        }

        // MARK: Keyspaces

        /// The newest commit's keyspaces and its trees are the same, one by one.
        mutating func checkKeyspaces() {
            let named = store.writerCatalog.all
            var kinds: [KeyspaceID: Keyspace.Kind] = [.system: .records]
            for keyspace in named
            where kinds.updateValue(keyspace.kind, forKey: keyspace.identifier) != nil {
                note("Keyspace \(keyspace.identifier) has two names.")
            }
            for id in kinds.keys where id.treeNumber >= root.pointee.treeCount {
                note("Keyspace \(id) has no tree.")
            }
            for id in KeyspaceID.ofTrees(0..<root.pointee.treeCount) {
                checkTree(of: id, kinds[id])
            }
            // What is seen is older than the newest commit only while a commit waits for its sync
            // (T4).
            let isPublished = store.committedLSN <= store.log.durableLSN
            if isPublished, store.catalog.all != named {
                note("The keyspaces that readers see are not those of the newest commit.")
            }
        }

        private mutating func checkTree(of id: KeyspaceID, _ kind: Keyspace.Kind?) {
            let tree = root.pointee.tree(id.treeNumber)
            let isDropped = tree.flags & TreeFlags.dropped != 0
            let isDerived = tree.flags & TreeFlags.derived != 0
            if isDropped != (kind == nil) {
                note("The tree of keyspace \(id) says dropped: \(isDropped), the names do not.")
            }
            if let kind, isDerived != (kind == .derived) {
                note(
                    "The tree of keyspace \(id) says derived: \(isDerived), its definition does not."
                )
            }
            if isDropped, tree.count > 0 { note("Keyspace \(id) was dropped and has keys.") }
            if tree.flags & TreeFlags.invalid != 0 {
                if !isDerived { note("Keyspace \(id) has records and waits to be rebuilt.") }
                if tree.count > 0 { note("Keyspace \(id) waits to be rebuilt and has keys.") }
            }
            let manifest = store.checkpoints.manifest
            if tree.flags & TreeFlags.packed != 0, !manifest.mayBePacked {
                note("Keyspace \(id) is packed, of which the manifest says nothing.")
            }
            if tree.flags & TreeFlags.cold != 0, !manifest.mayBeCompressed {
                note("Keyspace \(id) is cold, of which the manifest says nothing.")
            }
        }

        // MARK: Records (log 5)

        /// Every entry of a keyspace of records leads to a record of its key; counts what they
        /// take.
        mutating func checkRecords() throws(StoreError) {
            for id in KeyspaceID.ofTrees(0..<root.pointee.treeCount)
            where root.pointee.tree(id.treeNumber).flags & TreeFlags.derived == 0 {
                var packs: (location: Location, entries: PackExpansion)?
                var cursor = access.cursor(in: id)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let location = Location(rawValue: cursor.indexValue)
                    if isInLog(location, id) {
                        counted.add(
                            store.log.storedByteCount(at: location), to: location.segment)
                        do {
                            let isSame = try cursor.withKey { (key) throws(LogError) in
                                try access.segments.holdsKey(key, in: id, at: location, &packs)
                            }
                            if !isSame {
                                note("Keyspace \(id): the record at \(location) has another key.")
                            }
                        } catch {
                            throw StoreError(error)
                        }
                    }
                    isValid = try cursor.next()
                }
            }
        }

        /// Whether a location lies within the batches of a segment of the log.
        private mutating func isInLog(_ location: Location, _ keyspace: KeyspaceID) -> Bool {
            if location.isStaged {
                note("Keyspace \(keyspace) leads to \(location), which only a transaction has.")
                return false
            }
            guard let segment = segments[location.segment] else {
                note("Keyspace \(keyspace) leads to \(location); the log has no such segment.")
                return false
            }
            let end = location.recordOffset + (location.sizeHint ?? RecordLayout.headerByteCount)
            // The end of the last segment is known when it is sealed.
            let segmentEnd = segment.number == newest ? segment.byteCount : segment.endOffset
            guard location.recordOffset >= SegmentHeader.byteCount, end <= Int(segmentEnd) else {
                note(
                    "Keyspace \(keyspace) leads to \(location); the segment ends at "
                        + "\(segmentEnd).")
                return false
            }
            return true
        }

        // MARK: Space (C5, log 9, M4)

        mutating func checkUsage() {
            let (known, found) = (byteCounts(store.usage), byteCounts(counted))
            for number in Set(known.keys).union(found.keys).sorted()
            where known[number] != found[number] {
                note(
                    "Segment \(number) has \(found[number] ?? 0) live bytes; "
                        + "\(known[number] ?? 0) are counted.")
            }
            let sum = known.values.reduce(0, +)
            if sum != store.usage.liveByteCount {
                note(
                    "The segments have \(sum) live bytes; \(store.usage.liveByteCount) are counted "
                        + "of all.")
            }
        }

        private func byteCounts(_ usage: SegmentUsage) -> [UInt32: Int64] {
            Dictionary(
                usage.segments.map { ($0.number, $0.liveByteCount) },
                uniquingKeysWith: { first, _ in first })
        }

        /// Segments that wait for their files to go have nothing live, and the newest version is
        /// one that does not see them.
        mutating func checkRetiredSegments() {
            for segment in store.compaction.waiting {
                if store.usage.liveByteCount(of: segment.number) != 0 {
                    note("Segment \(segment.number) was retired and has live bytes.")
                }
                if counted.liveByteCount(of: segment.number) != 0 {
                    note("Segment \(segment.number) was retired; the index leads into it.")
                }
                if segment.birth > segment.retirement
                    || segment.retirement > store.index.newestVersion
                {
                    note(
                        "Segment \(segment.number) was seen first in version \(segment.birth) and "
                            + "retired in \(segment.retirement); the newest is "
                            + "\(store.index.newestVersion).")
                }
            }
            if let table = store.log.retirementLocation, segments[table.segment] == nil {
                note("The retirement table is at \(table); the log has no such segment.")
            }
        }

        // MARK: Checkpoints (C1, C2, C8, M1)

        mutating func checkCheckpoints() {
            let manifest = store.checkpoints.manifest
            let kept = manifest.checkpoints
            if kept.count > 2 { note("\(kept.count) checkpoints are kept.") }
            for (newer, older) in zip(kept, kept.dropFirst()) where newer.lsn < older.lsn {
                note("The checkpoint at LSN \(newer.lsn) is kept before that at \(older.lsn).")
            }
            if manifest.durableLSN > store.log.durableLSN {
                note(
                    "The manifest calls LSN \(manifest.durableLSN) durable, the log "
                        + "\(store.log.durableLSN).")
            }
            for entry in kept { check(entry, of: manifest) }
        }

        private mutating func check(_ entry: Manifest.CheckpointEntry, of manifest: Manifest) {
            if entry.lsn > store.log.durableLSN {
                note(
                    "A checkpoint is at LSN \(entry.lsn); the log is durable up to "
                        + "\(store.log.durableLSN).")
            }
            guard let number = entry.file else { return }
            if number >= manifest.nextPageFile {
                note("Page file \(number) is kept; the next is \(manifest.nextPageFile).")
            }
            let opened = PageFileReader.open(
                entry, directory: store.path, identity: manifest.identity,
                fileSystem: store.checkpoints.fileSystem)
            switch opened {
            case .failure(let reason):
                note("The checkpoint at LSN \(entry.lsn) is damaged: \(reason).")
            case .success(let pages):
                if let start = pages.descriptor.replayStart, segments[start.segment] == nil {
                    note(
                        "The replay after the checkpoint at LSN \(entry.lsn) begins in segment "
                            + "\(start.segment), which the log does not have.")
                }
            }
        }
    }
#endif
