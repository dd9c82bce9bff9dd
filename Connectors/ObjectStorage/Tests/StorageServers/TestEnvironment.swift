import Foundation

/// Runs a test with a directory that is deleted after it.
public func withTemporaryDirectory(_ test: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "object-storage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await test(directory.path)
}

/// A number from the environment.
public func environmentNumber(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}
