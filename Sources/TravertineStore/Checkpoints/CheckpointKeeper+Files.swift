import SegmentLog

/// Page files: their numbers, which are needed, and the removal of the others.
extension CheckpointKeeper {
    /// Takes the number of the next page file, which nobody removes while it is under way.
    func takeFileNumber() throws(StoreError) -> UInt32 {
        try replacing.withLock { () throws(StoreError) in
            var number = manifest.nextPageFile
            // The file of an interrupted checkpoint stays when an opening removes nothing (C7),
            // and a manifest that was put back may be older than page files that are still there.
            while fileSystem.exists(directory + "/" + StoreFiles.pageFile(number)) { number += 1 }
            guard number < UInt32(Int32.max) else {
                throw StoreError.outOfNumbers("\(Int32.max) numbers of page files")
            }
            state.withLock { state in
                state.manifest.nextPageFile = number + 1
                state.fileUnderWay = number
            }
            return number
        }
    }

    /// Lets the next checkpoint refer to a file no more: its live pages move.
    func leave(file number: UInt32) {
        state.withLock { state in state.newestFiles.removeAll { $0.number == number } }
    }

    /// The page files that trees in memory or kept checkpoints need, as far as that is known.
    var filesInUse: Set<UInt32> {
        var numbers = pageFiles.numbers
        for entry in manifest.checkpoints {
            if let own = entry.file { numbers.insert(own) }
            numbers.formUnion(filesNeeded(by: entry) ?? [])
        }
        return numbers
    }

    /// The files that a kept checkpoint needs; nil if that can't be found out.
    func filesNeeded(by entry: Manifest.CheckpointEntry) -> Set<UInt32>? {
        guard let number = entry.file else { return [] }
        let (known, identity) = state.withLock {
            ($0.filesOfCheckpoint[number], $0.manifest.identity)
        }
        if let known { return known }
        let opened = PageFileReader.openOwnFile(
            entry, directory: directory, identity: identity, fileSystem: fileSystem)
        guard case .success(let pages) = opened else { return nil }
        let files = Set(pages.descriptor.pageFiles.map(\.number))
        state.withLock { state in
            let isKept = state.manifest.checkpoints.contains { $0.file == number }
            if isKept { state.filesOfCheckpoint[number] = files }
        }
        return files
    }

    /// Removes page files that no kept checkpoint and no tree in memory needs; a failure leaves
    /// them to the next opening. While it is not known what a checkpoint needs, nothing goes.
    ///
    /// May run while a checkpoint is being written.
    func removeUnneededFilesUnheld(includingThoseInMemory: Bool) {
        // Before the look at what is needed: a file that comes after it is not among them.
        guard let names = try? fileSystem.list(directory),
            let needed = filesNeeded(includingThoseInMemory: includingThoseInMemory)
        else { return }
        for name in names {
            guard let number = StoreFiles.pageFileNumber(of: name), !needed.contains(number)
            else { continue }
            if case .failure = capture({ () throws(FileSystemError) in
                try fileSystem.remove(directory + "/" + name)
            }) {
                return
            }
        }
    }

    /// What may not be removed; nil for everything.
    private func filesNeeded(includingThoseInMemory: Bool) -> Set<UInt32>? {
        let (entries, underWay) = state.withLock { ($0.manifest.checkpoints, $0.fileUnderWay) }
        var needed = includingThoseInMemory ? [] : pageFiles.numbers
        if let underWay { needed.insert(underWay) }
        for entry in entries {
            guard let files = filesNeeded(by: entry) else { return nil }
            needed.formUnion(files)
        }
        return removalIsForbidden ? nil : needed
    }
}
