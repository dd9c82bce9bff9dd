import Foundation

/// The files of the project from which the tests were built.
public enum ProjectFiles {
    /// The project's directory.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A file or a folder, by its path from the project's directory.
    public static func url(_ path: String) -> URL { root.appending(path: path) }
}
