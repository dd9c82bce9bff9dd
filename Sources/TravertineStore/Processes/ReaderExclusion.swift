import SegmentLog

/// Keeps readers from opening a store, as long as it lives. The caller has the store's lock.
package final class ReaderExclusion {
    private let table: ReaderTable

    /// - Throws: `.locked` with the holders when the store is open for reading.
    package init(of path: String, _ fileSystem: FileSystem) throws(StoreError) {
        table = try ReaderTable(directory: path, lineage: 0, fileSystem: fileSystem)
        // When this throws an error, `deinit` closes the table.
        guard try table.excludeReaders() else {
            throw StoreError(
                .locked,
                "The store is open for reading, by \(table.holders). Close it there first.",
                file: path)
        }
    }

    deinit { table.close() }
}
