import Foundation

/// The programs of PostgreSQL's server on this machine.
public struct ServerPrograms: Sendable {
    /// The directory that has `initdb`, `pg_ctl` and `postgres`.
    public let directory: String

    /// Looks where `pg_config` says, then for the newest version in Debian's places, then in the
    /// directories of PATH.
    ///
    /// - Throws: `ServerFailure` with what to install.
    public init() throws {
        var candidates: [String] = []
        if let output = try? CommandLineRun(["pg_config", "--bindir"]).run() {
            candidates.append(output.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql"))
        let newestFirst = (versions ?? []).compactMap { Int($0) }.sorted(by: >)
        candidates += newestFirst.map { "/usr/lib/postgresql/\($0)/bin" }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        candidates += path.split(separator: ":").map(String.init)
        let found = candidates.first { directory in
            ["initdb", "pg_ctl", "postgres"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: directory + "/" + $0)
            }
        }
        guard let found else {
            throw ServerFailure(
                "there is no PostgreSQL server to test with: install it (apt-get install postgresql,"
                    + " or brew install postgresql)")
        }
        directory = found
    }

    /// The path of a program.
    public func path(_ name: String) -> String { directory + "/" + name }
}

/// Why there is no server to test with.
public struct ServerFailure: Error, CustomStringConvertible {
    /// What happened.
    public let description: String

    /// A failure with a message.
    public init(_ description: String) { self.description = description }
}
