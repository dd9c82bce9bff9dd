import Foundation

/// Hidden directories beside a realm, for backups that are made to be verified.
///
/// Their files are second names of those of the realm, whose space nothing else would free. So the
/// names have the number of the process, and what an ended one has left is removed by the next.
struct TemporaryDirectories: Sendable {
    private let parent: URL
    private let prefix: String

    init(beside directory: URL) {
        parent = directory.deletingLastPathComponent()
        prefix = ".\(directory.lastPathComponent).studio-"
    }

    /// A directory that there is not yet.
    func makeName() -> URL {
        parent.appendingPathComponent(
            "\(prefix)\(getpid())-\(UUID().uuidString)", isDirectory: true)
    }

    /// Removes those of this process.
    func removeOwn() { remove { $0 == getpid() } }

    /// Removes those of processes that there are no more.
    func removeThoseOfEndedProcesses() { remove { kill($0, 0) != 0 && errno == ESRCH } }

    private func remove(where isMeant: (pid_t) -> Bool) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names {
            guard let process = process(of: name), isMeant(process) else { continue }
            try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
        }
    }

    /// The process that a name was made by; nil for a name that is none of ours.
    private func process(of name: String) -> pid_t? {
        guard name.hasPrefix(prefix) else { return nil }
        let parts = name.dropFirst(prefix.count).split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let process = pid_t(parts[0]), process > 0 else { return nil }
        // Backups are made under the name with more at its end.
        return UUID(uuidString: String(parts[1].prefix(36))) == nil ? nil : process
    }
}
