import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system knows of other processes.
enum ProcessTree {
    /// The processes that a process has started and that run.
    static func children(of parent: pid_t) -> [pid_t] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else {
            let output = try? CommandLineRun(["pgrep", "-P", "\(parent)"]).run()
            return (output ?? "").split(separator: "\n").compactMap { pid_t($0) }
        }
        return names.compactMap { pid_t($0) }.filter { status(of: $0)?.parent == parent }
    }

    /// Waits until a process that was killed has ended.
    static func waitForEnd(of process: pid_t) {
        while kill(process, 0) == 0 {
            // Ended, but its parent has not asked for its status, and may never.
            if let state = status(of: process)?.state, state == "Z" || state == "X" { return }
            sched_yield()
        }
    }

    /// The state and the parent, from `/proc/PID/stat`: `PID (NAME) STATE PARENT …`.
    private static func status(of process: pid_t) -> (state: String, parent: pid_t)? {
        guard
            let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count >= 2, let parent = pid_t(fields[1]) else { return nil }
        return (String(fields[0]), parent)
    }
}
