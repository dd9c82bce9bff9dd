import Foundation

/// A directory for one test, removed with its last reference.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Creates an empty directory; a machine without room for one can't run tests, and stops here.
    public init() {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "travertine-\(UUID().uuidString)")
        path = url.path
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            fatalError("no temporary directory could be created: \(error)")
        }
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // No test is running any more that an issue could be recorded for.
            print("could not remove \(path): \(error)")
        }
    }

    /// The path of something in the directory.
    public func path(_ name: String) -> String { path + "/" + name }

    /// The names in a directory inside, in order.
    public func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }
}
