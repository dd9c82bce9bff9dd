import Foundation
import TravertineStore

/// The keyspace that an import fills. A store that is there is opened at once; where there is none,
/// it is made for the first batch, so that an import that stores nothing leaves none.
final class ImportTarget {
    private let arguments: StoreArguments
    private var opened: (store: Store, keyspace: Keyspace)?
    /// Whether the store is, or would be, one that the import made.
    private let isMade: Bool

    /// - Throws: what opening a store that is there throws.
    init(_ arguments: StoreArguments) throws {
        self.arguments = arguments
        let directory = arguments.directory
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
        // A file, and a directory that can't be read, are refused by opening.
        let isFree = names?.isEmpty ?? !FileManager.default.fileExists(atPath: directory)
        isMade = isFree
        if isFree {
            try arguments.checkKeyspaceForWriting(holdsObjects: false)
        } else {
            _ = try open()
        }
    }

    /// The store and the keyspace, which are made if they are missing.
    func open() throws -> (store: Store, keyspace: Keyspace) {
        if let opened { return opened }
        var options = try StoreKey.options(for: arguments.directory)
        options.createIfMissing = true
        let store = try Store.open(at: arguments.directory, options: options)
        do {
            let made = (store, try arguments.keyspaceForWriting(in: store))
            opened = made
            return made
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Closes the store after an error, and removes it if the import made it and nothing is in it.
    func giveUp() {
        guard let opened else { return }
        // The first error is the one to report; the next opening completes what closing left.
        try? opened.store.close()
        self.opened = nil
        if isMade { try? StoreArguments.removeIfEmpty(arguments.directory) }
    }

    /// Closes the store, if it is open.
    func close() throws {
        try opened?.store.close()
        opened = nil
    }
}
