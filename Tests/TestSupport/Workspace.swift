import Foundation

/// A directory for one test in which it writes files and runs programs, removed with its last
/// reference. Test targets add what they put there.
public final class Workspace: Sendable {
    private let temporary = TemporaryDirectory()

    /// Where it is.
    public let directory: URL

    /// Creates an empty directory.
    public init() {
        directory = URL(filePath: temporary.path, directoryHint: .isDirectory)
    }

    /// Where a file of this name is, or would be.
    public func url(_ name: String) -> URL { directory.appending(path: name) }

    /// Writes a file, and creates the folders on the way to it.
    public func write(_ text: String, to name: String) throws {
        let file = url(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// The text of a file.
    public func text(of name: String) throws -> String {
        try String(contentsOf: url(name), encoding: .utf8)
    }
}
