import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

/// Objects that stand for values counted as levels in Extended JSON and not in BSON, and Extended
/// JSON was written with any number of levels, so that it could not be read again.
@Suite("Documents have 200 levels, whatever they are written in")
struct DepthTests {
    /// A value with arrays or documents, in turns, around another one.
    private func nest(_ value: AnyBSON, _ count: Int) -> AnyBSON {
        (0..<count).reduce(value) { inner, level in
            level % 2 == 0 ? .array([inner]) : .document(["a": inner])
        }
    }

    private static let innermost: [AnyBSON] = [
        1, "x", .null, .int64(1), .double(.nan), .decimal128(1),
        .datetime(BSONDateTime(milliseconds: -1)),
        .uuid(UUID()), .objectId(.generate()), .binary(Data([1])), .symbol("a"), .minKey,
        .undefined,
        .timestamp(BSONTimestamp(seconds: 1, increment: 2)), .javascript("x"),
        .regex(BSONRegularExpression(pattern: "a", options: "i")),
        .pointer(BSONPointer(collection: "a", id: .generate())),
    ]

    @Test("what has 200 levels is written and read, what has one more is neither")
    func limit() throws {
        for value in Self.innermost {
            let last: Document = ["a": nest(value, 199)]
            #expect(try Document(bson: last.bson()).bson() == last.bson())
            for mode in [ExtendedJSONMode.relaxed, .canonical] {
                let text = try last.extendedJSON(mode)
                #expect(try Document(extendedJSON: text).extendedJSON(mode) == text)
            }
            let beyond: Document = ["a": nest(value, 200)]
            #expect(throws: DocumentError.self) { try beyond.bson() }
            #expect(throws: DocumentError.self) { try beyond.extendedJSON(.relaxed) }
            #expect(throws: DocumentError.self) { try beyond.extendedJSON(.canonical) }
            var bytes: [UInt8] = [1]
            #expect(throws: DocumentError.self) { try beyond.appendExtendedJSON(to: &bytes) }
            #expect(bytes == [1])
        }
    }

    @Test("an empty document or array is a level, a program with a scope two")
    func innermostLevels() throws {
        for (value, levels) in [
            (AnyBSON.document([:]), 1), (.array([]), 1),
            (.javascriptWithScope(BSONCode("x", scope: [:])), 2),
            (.javascriptWithScope(BSONCode("x", scope: ["a": .objectId(.generate())])), 2),
        ] {
            let last: Document = ["a": nest(value, 199 - levels)]
            let beyond: Document = ["a": nest(value, 200 - levels)]
            #expect(try Document(bson: last.bson()) == last)
            #expect(try Document(extendedJSON: last.extendedJSON(.canonical)) == last)
            #expect(throws: DocumentError.self) { try beyond.bson() }
            #expect(throws: DocumentError.self) { try beyond.extendedJSON(.canonical) }
        }
    }

    @Test("what is read beyond the limit is an error with its place, in either form")
    func reading() throws {
        let text = String(repeating: "{\"a\":", count: 200)
        let end = String(repeating: "}", count: 200)
        _ = try Document(extendedJSON: text + "{\"$oid\":\"0123456789abcdef01234567\"}" + end)
        _ = try Document(extendedJSON: text + "{\"$date\":{\"$numberLong\":\"1\"}}" + end)
        for inner in ["{}", "[]", "[1]", "{\"a\":1}"] {
            let error = #expect(throws: DocumentError.self) {
                try Document(extendedJSON: text + inner + end)
            }
            #expect("\(error as Any)".contains("column 1001 (byte 1000): more than 200 levels"))
        }
        // What is no value of another type has no room for endless levels either.
        let wrapper = String(repeating: "{\"$oid\":", count: 100_000)
        #expect(throws: DocumentError.self) { try Document(extendedJSON: wrapper) }
        var bytes: [UInt8] = []
        for level in 0...200 {
            let rest = UInt32(8 * (200 - level) + 5)
            bytes += withUnsafeBytes(of: rest.littleEndian) { Array($0) }
            if level < 200 { bytes += [3, 97, 0] }
        }
        bytes += [UInt8](repeating: 0, count: 201)
        #expect(throws: DocumentError.self) { try Document(bson: bytes) }
        _ = try Document(bson: Array([UInt8]([8, 0, 0, 0, 10, 97, 0, 0])))
    }

    @Test("an importer reads the same levels by either way")
    func importing() throws {
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", [Pile.self])
        let importer = try DocumentImporter(realm, type: "Pile")
        func text(_ levels: Int) -> String {
            "{\"_id\":\(levels),\"more\":" + String(repeating: "[", count: levels)
                + String(repeating: "]", count: levels) + "}"
        }
        try realm.write {
            for levels in [199, 200] {
                var direct = text(levels)
                var isTaken = true
                do {
                    try direct.withUTF8 {
                        try importer.insert(extendedJSON: UnsafeRawBufferPointer($0))
                    }
                } catch is DocumentError {
                    isTaken = false
                }
                #expect(isTaken == (levels == 199))
                let document = try? Document(extendedJSON: direct)
                #expect((document != nil) == isTaken)
            }
        }
    }
}

final class Pile: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
}
