import Locks
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the realms in memory of this process have their files.
///
/// Any text of any length is an identifier, so that the names of the directories are random. What a
/// process leaves that ended without closing its realms is never taken for one of another's with
/// its number, and is removed by the next process that has a realm in memory.
enum InMemoryDirectory {
    private struct Key: Hashable {
        /// A forked child has its own realms.
        var process: pid_t
        var identifier: String
    }

    private struct State {
        var directories: [Key: URL] = [:]
        var hasRemovedLeftOvers = false
    }

    private static let state = Locked(State())
    private static let prefix = "travertine-memory-"

    /// The directory of an identifier, the same as long as the process runs.
    static func url(of identifier: String) -> URL {
        let key = Key(process: getpid(), identifier: identifier)
        return state.withLock { state in
            if !state.hasRemovedLeftOvers {
                state.hasRemovedLeftOvers = true
                removeLeftOvers(in: FileManager.default.temporaryDirectory)
            }
            if let directory = state.directories[key] { return directory }
            let url = FileManager.default.temporaryDirectory.appendingPathComponent(
                "\(prefix)\(key.process)-\(UUID().uuidString)", isDirectory: true)
            state.directories[key] = url
            return url
        }
    }

    /// Removes what processes left that are not there any more. A store that some process has open
    /// all the same, one that can't be seen from here, is locked and stays.
    static func removeLeftOvers(in directory: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count).prefix { $0 != "-" }
            guard let process = pid_t(digits), process > 0, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // One that can't be removed harms nobody.
            _ = try? Store.remove(at: directory.appendingPathComponent(name).path)
        }
    }
}
