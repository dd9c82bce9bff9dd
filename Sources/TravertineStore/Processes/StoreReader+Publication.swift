import SegmentLog

/// What the writer publishes, and whether it is still the store that was opened (R8).
extension StoreReader {
    /// Throws when another file is where the file `lock` was: what the writer publishes now is not
    /// seen here.
    func checkIsNotReplaced() throws(StoreError) {
        let now = ReaderTable.identity(
            of: path + "/" + StoreFiles.lock, options.environment.fileSystem)
        guard let known = table.identity, let now else { return }
        if now != known { throw .replacedStore(path) }
    }

    /// Whether `refresh` may show a commit after one, or the reader shows it already.
    func mayShowCommit(after lsn: UInt64) throws(StoreError) -> Bool {
        try checkProcess()
        return try state.withLock { (state) throws(StoreError) in
            guard let current = state.current else { throw StoreError.closedStore }
            if let asOf {
                throw StoreError(
                    .misuse,
                    "This reader shows commit \(asOf.rawValue) and no newer one: open one without "
                        + "`asOf` to wait for commits.", file: path)
            }
            if current.lsn.rawValue > lsn { return true }
            try checkIsNotReplaced()
            // What was read already showed nothing: it was a part of a transaction, or no change.
            let published = try published(&state)
            return published.rawValue > lsn && published > current.readLSN
        }
    }

    /// What the writer has published, also if it is the first one of its lineage.
    ///
    /// Throws when that ends before what was published under the same lineage, or before what was
    /// read here and another lineage began: then an older copy was put in the place of the files,
    /// under the same `lock`, and its LSNs are those of other commits.
    func published(_ state: inout State) throws(StoreError) -> LSN {
        if state.isReplaced { throw .replacedStore(path) }
        var (lsn, isCertain) = try table.durable.publication()
        if lsn == .zero {
            let manifest = try ManifestFile.read(
                in: path, fileSystem: options.environment.fileSystem)
            guard let manifest else { return .zero }
            table.durable.follow(lineage: manifest.identity.lineage)
            (lsn, isCertain) = try table.durable.publication()
        }
        guard isCertain, lsn != .zero, let current = state.current else { return lsn }
        let lineage = table.durable.followedLineage
        if lineage == state.published.lineage {
            state.isReplaced = lsn < state.published.lsn
        } else if lineage != identity.lineage {
            state.isReplaced = lsn < current.readLSN
        }
        if state.isReplaced { throw .replacedStore(path) }
        state.published = (lineage, lsn)
        return lsn
    }
}

extension StoreError {
    /// The directory that is read has been removed and made again, or its files were replaced.
    package static func replacedStore(_ path: String) -> StoreError {
        StoreError(
            .wrongStore,
            "The store was replaced by another one, or by an older copy, while it was open for "
                + "reading. Let go of what reads it, and open it again.", file: path)
    }
}
