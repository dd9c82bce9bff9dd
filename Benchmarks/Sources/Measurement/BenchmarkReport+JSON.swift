import Foundation

extension BenchmarkReport {
    /// Everything as JSON, with sorted keys.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

/// Where the data of benchmarks goes unless an option says otherwise.
public enum BenchmarkDirectory {
    /// TMPDIR if it is set, otherwise `.build-bench` below the current directory. A directory in
    /// memory would make syncs free; `/tmp` is one on some systems, so it is not used unasked.
    public static var standard: String {
        if let path = ProcessInfo.processInfo.environment["TMPDIR"], !path.isEmpty {
            return path
        }
        return FileManager.default.currentDirectoryPath + "/.build-bench"
    }
}
