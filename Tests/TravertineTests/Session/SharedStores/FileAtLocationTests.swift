import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("A file where a realm should be")
struct FileAtLocationTests {
    private let directory = TemporaryDirectory()

    private func message(_ bytes: some Sequence<UInt8>) throws -> String {
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true)
        let file = directory.url.appendingPathComponent("file")
        try Data(bytes).write(to: file)
        var messages: [String] = []
        for isReadOnly in [false, true] {
            let error = #expect(throws: Realm.Error.self) {
                try Realm(
                    configuration: Realm.Configuration(
                        fileURL: file, readOnly: isReadOnly, objectTypes: []))
            }
            messages.append(error?.message ?? "")
        }
        #expect(try Data(contentsOf: file) == Data(bytes))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["file"])
        #expect(messages[0] == messages[1])
        return messages[0]
    }

    @Test("is named as what it is, and left as it is")
    func kinds() throws {
        let header = [UInt8](repeating: 0, count: 16) + "T-DB".utf8 + [9, 9, 0, 0]
        #expect(try message(header + [1, 2, 3]).contains("file of Realm's own format"))
        #expect(try message(Array("Dear Ada,\nÆrø\n".utf8)).contains("a text file"))
        let cut = Array(String(repeating: "x", count: 511).utf8) + Array("ø and more".utf8)
        #expect(try message(cut).contains("a text file"))
        #expect(try message([0, 1, 2, 0xFF]).contains("a file of something else"))
        #expect(try message([]).contains("a file of something else"))
    }
}
