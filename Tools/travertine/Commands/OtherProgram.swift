import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program of Travertine that is built apart, because it needs libraries that others should not.
struct OtherProgram {
    let name: String
    /// The directory of its package.
    let package: String

    /// The path of the program; nil if it is not there.
    var path: String? {
        path(
            beside: Bundle.main.executableURL?.resolvingSymlinksInPath(),
            in: ProcessInfo.processInfo.environment["PATH"])
    }

    /// What speaks to servers of PostgreSQL.
    static let postgres = OtherProgram(
        name: "travertine-postgres", package: "Connectors/PostgreSQL")

    /// Starts the program in the place of this one, and with it signals and the terminal.
    func replaceProcess(with arguments: [String]) throws -> Never {
        let path = try requiredPath()
        let texts = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, texts)
        throw CommandError(
            ExitStatus.unavailable,
            "\(path) can't be started: \(String(cString: strerror(errno)))")
    }

    /// The path of the program.
    ///
    /// - Throws: how to build it, if it is not there.
    func requiredPath() throws -> String {
        if let path { return path }
        throw CommandError(
            ExitStatus.unavailable,
            "there is no program \(name) beside travertine or in PATH. Build it in the "
                + "directory of Travertine with: swift build -c release --package-path \(package)"
        )
    }

    /// The path of the program: beside this one, else in the directories of `PATH`.
    func path(beside own: URL?, in path: String?) -> String? {
        let directories =
            (own.map { [$0.deletingLastPathComponent().path] } ?? [])
            + (path ?? "").split(separator: ":").map(String.init)
        return directories.lazy.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
