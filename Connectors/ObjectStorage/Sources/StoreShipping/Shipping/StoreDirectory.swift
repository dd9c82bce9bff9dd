import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a store is on this machine, by which it is distinguished from a copy of it (U6b).
struct StoreDirectory {
    /// The path from the root on. Links in it stay: one that is set to another directory says that
    /// the store there takes the place of the one before.
    let path: String

    init(_ path: String) {
        let isWhole = path.hasPrefix("/")
        let whole = isWhole ? path : FileManager.default.currentDirectoryPath + "/" + path
        let names = whole.split(separator: "/").filter { $0 != "." }
        self.path = "/" + names.joined(separator: "/")
    }

    /// Whether a store is at another path still, in another directory than this one.
    func isApart(fromStoreAt other: String) -> Bool {
        if other == path { return false }
        let identity = Self.identity(of: other)
        guard let identity, identity != Self.identity(of: path) else { return false }
        do throws(StoreError) {
            return try Store.isEncrypted(at: other) != nil
        } catch {
            // Something is there that this process may not read.
            return true
        }
    }

    /// The number of a directory and of its file system, whatever path leads to it; nil if none
    /// does.
    private static func identity(of path: String) -> [UInt64]? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: found.st_dev), UInt64(truncatingIfNeeded: found.st_ino)]
    }
}
