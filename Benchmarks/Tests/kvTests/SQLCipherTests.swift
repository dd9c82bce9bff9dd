import Foundation
import Measurement
import Testing

@testable import kv

@Suite("SQLite and SQLCipher")
struct SQLCipherTests {
    private static let hasCipher = (try? SQLiteLibrary.cipher(path: nil)) != nil
    private static let reason: Comment =
        "libsqlcipher is not installed; Benchmarks/install-peers installs it."

    /// A text that stands out in a file.
    private static let value = Array(String(repeating: "limestone ", count: 40).utf8)

    /// Stores a record, runs `body` on the closed database, and returns how its file begins and
    /// whether the record could be read in any file.
    private func withRecord(
        isEncrypted: Bool, _ body: (EngineSetup) throws -> Void = { _ in }
    ) throws -> (header: String, isReadable: Bool) {
        let directory = FileManager.default.temporaryDirectory.path + "/kv-\(UUID().uuidString)"
        defer { DirectoryTree.remove(directory) }
        let setup = EngineSetup(
            directory: directory, promise: .durable, cacheMebibytes: 1, isEncrypted: isEncrypted)
        let engine = try SQLiteEngine(setup)
        var writer = try engine.makeWriter()
        try writer.begin()
        try Self.value.withUnsafeBytes { try writer.put($0, $0) }
        try writer.commit()
        writer.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(names.contains("kv.sqlite-wal"))
        var isReadable = try holdsValue(directory)
        try engine.checkpoint()
        try engine.close()
        isReadable = try holdsValue(directory) || isReadable
        try body(setup)
        let file = try Data(contentsOf: URL(filePath: SQLiteEngine.path(in: directory)))
        return (String(decoding: file.prefix(15), as: UTF8.self), isReadable)
    }

    /// Whether any file of the directory has the value as it is.
    private func holdsValue(_ directory: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: directory).contains { name in
            try Data(contentsOf: URL(filePath: directory + "/" + name))
                .firstRange(of: Data("limestone".utf8)) != nil
        }
    }

    @Test("a database without a key can be read from its files")
    func plain() throws {
        let found = try withRecord(isEncrypted: false)
        #expect(found.header == "SQLite format 3")
        #expect(found.isReadable)
    }

    @Test(
        "a database with a key shows neither its header nor its values, and its log neither",
        .enabled(if: hasCipher, reason))
    func encrypted() throws {
        let found = try withRecord(isEncrypted: true)
        #expect(found.header != "SQLite format 3")
        #expect(!found.isReadable)
    }

    @Test(
        "a database opens with its key only",
        .enabled(if: hasCipher, reason))
    func wrongKey() throws {
        _ = try withRecord(isEncrypted: true) { setup in
            var wrong = SQLiteEngine.key
            wrong[31] ^= 1
            let library = try SQLiteLibrary.cipher(path: nil)
            let path = SQLiteEngine.path(in: setup.directory)
            for key in [wrong, nil] {
                #expect(throws: BenchmarkError.self) {
                    try SQLiteConnection(library: library, path: path, setup: setup, key: key)
                }
            }
            let engine = try SQLiteEngine(setup)
            var reader = try engine.makeReader()
            var sink = ValueCopy()
            let isFound = try Self.value.withUnsafeBytes { try reader.get($0, &sink) }
            #expect(isFound && sink.value == Self.value)
            reader.close()
            try engine.close()
        }
    }

    @Test("a library that is not SQLCipher is refused, as it would ignore the key")
    func otherLibrary() throws {
        let plain = try SQLiteLibrary.plain()
        #expect(throws: BenchmarkError.self) { try SQLiteLibrary.cipher(path: plain.name) }
        #expect(throws: BenchmarkError.self) { try SQLiteLibrary.cipher(path: "/none") }
    }
}
