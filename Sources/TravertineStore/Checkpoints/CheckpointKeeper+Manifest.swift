import SegmentLog

/// The manifest: what changes it, and how it is replaced.
extension CheckpointKeeper {
    /// Says on disk, once per opening and before the first change, that the store is in use: after
    /// a crash the log then never continues in the segment of the last clean end (T6).
    func markInUse() throws(StoreError) {
        if state.withLock({ $0.isMarkedInUse }) { return }
        try replaceManifest { next in
            if !next.isClean { return }
            next.isClean = false
            next.cleanEnd = nil
        } then: { state in
            state.isMarkedInUse = true
        }
    }

    /// Says on disk, before the first compressed or packed value, that this store may have some:
    /// older programs then refuse it instead of taking it for damaged.
    func mark(_ change: (inout Manifest) -> Void) throws(StoreError) {
        func apply(_ next: inout Manifest) {
            change(&next)
            // A program that reads packed values reads compressed ones, whatever the version says.
            if next.mayBePacked { next.mayBeCompressed = true }
        }
        // What it says already needs no waiting for who replaces it.
        let present = manifest
        var next = present
        apply(&next)
        if next != present { try replaceManifest(apply) }
    }

    /// Writes the manifest of a clean close.
    func markClean(durableLSN: LSN, end: LogPosition?) throws(StoreError) {
        try replaceManifest { next in
            next.isClean = true
            next.durableLSN = max(next.durableLSN, durableLSN)
            next.cleanEnd = end
        }
    }

    /// Takes the checkpoints that need a damaged file out of the manifest: the next opening then
    /// builds the index from another one, or from the log, and is whole again.
    func forget(damagedFile number: UInt32) throws(StoreError) {
        leave(file: number)
        try replaceManifest { next in
            next.checkpoints.removeAll { entry in
                guard let file = entry.file else { return false }
                return file == number || filesNeeded(by: entry)?.contains(number) ?? false
            }
        }
    }

    /// Writes what `change` makes of the manifest, if that is another one, and then changes the
    /// state.
    ///
    /// Commits go on in the meantime; other changes of the manifest wait.
    func replaceManifest(
        _ change: (inout Manifest) -> Void, then: (inout State) -> Void = { _ in }
    ) throws(StoreError) {
        try replacing.withLock { () throws(StoreError) in
            let present = manifest
            var next = present
            change(&next)
            if next != present {
                next.sequence += 1
                try writeManifest(next)
            }
            state.withLock { state in
                state.manifest = next
                then(&state)
            }
        }
    }

    private func writeManifest(_ manifest: Manifest) throws(StoreError) {
        var isSyncing = false
        do {
            try ManifestFile.replace(
                manifest, in: directory, fileSystem: fileSystem, willSync: { isSyncing = true })
        } catch {
            // Before the first sync nothing can have been replaced.
            if isSyncing { forbidRemoval(error) }
            throw error
        }
    }
}
