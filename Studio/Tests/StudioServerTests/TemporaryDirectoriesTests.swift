import Foundation
import Testing

@testable import StudioServer

@Suite("What a verification leaves")
struct TemporaryDirectoriesTests {
    @Test("directories of ended processes are removed, and nothing else, then those of this one")
    func leftovers() throws {
        let files = FileManager.default
        let parent = files.temporaryDirectory.appendingPathComponent(
            "studio-\(UUID().uuidString)", isDirectory: true)
        defer { try? files.removeItem(at: parent) }
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/sh")
        ended.arguments = ["-c", "exit 0"]
        try ended.run()
        ended.waitUntilExit()
        let directories = TemporaryDirectories(
            beside: parent.appendingPathComponent("a.realm", isDirectory: true))
        let own = directories.makeName()
        let number = ended.processIdentifier
        let left = ".a.realm.studio-\(number)-\(UUID().uuidString)"
        let others = [
            "a.realm", ".a.realm.studio-\(number)", ".a.realm.studio-\(number)-notes",
            ".a.realm.studio-notes", ".b.realm.studio-\(number)-\(UUID().uuidString)",
        ]
        for name in others + [left, own.lastPathComponent] {
            try files.createDirectory(
                at: parent.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        func names() throws -> Set<String> {
            Set(try files.contentsOfDirectory(atPath: parent.path))
        }
        directories.removeThoseOfEndedProcesses()
        #expect(try names() == Set(others + [own.lastPathComponent]))
        directories.removeOwn()
        #expect(try names() == Set(others))
    }
}
