import Foundation
import TestSupport
import Testing
import Travertine

@testable import TravertineDocuments

@Suite("BSON")
struct BSONTests {
    @Test("every type keeps its bytes, the deprecated ones too")
    func allTypes() throws {
        let document: Document = [
            "double": 1.5, "string": "é\u{0}x", "document": ["a": .null], "array": [1, [], "x"],
            "binary": .binary(Data([1, 2])), "old": .binary(BSONBinary(Data([9]), subtype: 2)),
            "user": .binary(BSONBinary(Data(), subtype: 200)), "undefined": .undefined,
            "id": .objectId(try ObjectId(string: "0123456789abcdef01234567")), "bool": true,
            "date": .datetime(BSONDateTime(milliseconds: .min)), "null": .null,
            "regex": .regex(BSONRegularExpression(pattern: "^a", options: "mi")),
            "pointer": .pointer(BSONPointer(collection: "c", id: .generate())),
            "code": .javascript("f()"), "symbol": .symbol("s"),
            "scoped": .javascriptWithScope(BSONCode("f(x)", scope: ["x": 1])),
            "int": 7, "timestamp": .timestamp(BSONTimestamp(seconds: .max, increment: 1)),
            "long": 8_000_000_000, "decimal": .decimal128("1.50"), "uuid": .uuid(UUID()),
            "least": .minKey, "greatest": .maxKey,
        ]
        let bytes = try document.bson()
        let read = try Document(bson: bytes)
        #expect(read == document && read.keys == document.keys)
        #expect(try read.bson() == bytes)
        let canonical = try Document(extendedJSON: document.extendedJSON(.canonical))
        #expect(canonical == document)
        #expect(try canonical.bson() == bytes)
        #expect(read["regex"] == .regex(BSONRegularExpression(pattern: "^a", options: "im")))
        #expect(read.value(at: "array.2") == "x" && read.value(at: "scoped.x") == nil)
        #expect(read.value(at: "document.a") == .null && read.value(at: "array.9") == nil)
    }

    @Test("damaged documents throw or read as something sound, and never stop the process")
    func damage() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("damaged BSON, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let samples = try Pymongo.samples().map(\.bson)
        var soundCount = 0
        for _ in 0..<40_000 {
            let bytes = random.damage(samples[random.below(samples.count)])
            guard let document = try? Document(bson: bytes) else { continue }
            soundCount += 1
            let written = try document.bson()
            #expect(try Document(bson: written).bson() == written, "seed \(seed)")
        }
        #expect(soundCount > 100)
    }

    @Test("each kind of damage is named with its offset")
    func errors() {
        let cases: [([UInt8], Int, String)] = [
            ([], 0, "4 bytes are missing"),
            ([5, 0, 0], 0, "4 bytes are missing"),
            ([4, 0, 0, 0, 0], 0, "document of 4"),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0], 0, "document of -1"),
            ([6, 0, 0, 0, 0], 0, "document of 6 bytes has 5"),
            ([5, 0, 0, 0, 1], 4, "ends with 1"),
            ([5, 0, 0, 0, 0, 0], 5, "1 bytes follow"),
            ([8, 0, 0, 0, 0x0A, 97, 98, 0], 5, "name does not end"),
            ([8, 0, 0, 0, 0x20, 97, 0, 0], 4, "no type 32"),
            ([8, 0, 0, 0, 0x0A, 0xFF, 0, 0], 5, "not UTF-8"),
            ([9, 0, 0, 0, 0x08, 97, 0, 2, 0], 7, "truth value is 2"),
            ([10, 0, 0, 0, 0x10, 97, 0, 1, 0, 0], 7, "4 bytes are missing"),
            ([14, 0, 0, 0, 2, 97, 0, 9, 0, 0, 0, 98, 0, 0], 7, "text of 9 bytes has 2"),
            // The zero after the text would be the one that ends the document.
            ([14, 0, 0, 0, 2, 97, 0, 3, 0, 0, 0, 98, 98, 0], 7, "text of 3 bytes has 2"),
            ([14, 0, 0, 0, 2, 97, 0, 2, 0, 0, 0, 98, 98, 0], 12, "does not end with 0"),
            ([12, 0, 0, 0, 2, 97, 0, 0, 0, 0, 0, 0], 7, "text of 0"),
            ([13, 0, 0, 0, 5, 97, 0, 9, 0, 0, 0, 0, 0], 7, "9 bytes of binary"),
            ([17, 0, 0, 0, 5, 97, 0, 4, 0, 0, 0, 2, 9, 0, 0, 0, 0], 7, "subtype 2"),
            ([13, 0, 0, 0, 3, 97, 0, 20, 0, 0, 0, 0, 0], 7, "document of 20 bytes has 5"),
        ]
        for (bytes, offset, reason) in cases {
            let error = #expect(throws: DocumentError.self) { try Document(bson: bytes) }
            guard case .invalidBSON(let found, let place)? = error else { continue }
            #expect(
                found.contains(reason) && place == offset,
                "\(found) at \(place), not \(reason) at \(offset)")
        }
    }

    @Test("two hundred levels are read and written, one more is refused both ways")
    func depth() throws {
        func nested(_ levels: Int) -> Document {
            (1..<levels).reduce(Document()) { inner, _ in ["a": .document(inner)] }
        }
        let bytes = try nested(200).bson()
        #expect(try Document(bson: bytes) == nested(200))
        #expect(throws: DocumentError.self) { try nested(201).bson() }
        var deep = bytes
        for _ in 0..<50 { deep = wrapped(deep) }
        #expect(throws: DocumentError.self) { try Document(bson: deep) }
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: DocumentError.self) { try AnyBSON(extendedJSON: text) }
        #expect(throws: DocumentError.self) {
            try AnyBSON(extendedJSON: String(repeating: "{\"a\":", count: 100_000))
        }
    }

    private func wrapped(_ inner: [UInt8]) -> [UInt8] {
        let length = UInt32(inner.count + 8)
        return withUnsafeBytes(of: length.littleEndian) { Array($0) } + [3, 97, 0] + inner + [0]
    }

    @Test("names with a zero byte are refused, with their path, and the bytes before stay")
    func zeroInName() throws {
        let document: Document = ["outer": ["list": [1, ["a\u{0}b": 1]]]]
        var bytes: [UInt8] = [1, 2, 3]
        #expect(
            throws: DocumentError.notEncodable(
                reason: "a name holds a zero byte, which ends it in BSON",
                path: "outer.list.1.a\u{0}b")
        ) { try document.appendBSON(to: &bytes) }
        #expect(bytes == [1, 2, 3])
        try (["a": 1] as Document).appendBSON(to: &bytes)
        #expect(bytes == [1, 2, 3, 12, 0, 0, 0, 16, 97, 0, 1, 0, 0, 0, 0])
        let pattern: Document = ["a": .regex(BSONRegularExpression(pattern: "\u{0}"))]
        #expect(throws: DocumentError.self) { try pattern.bson() }
    }

    @Test("documents keep their order, replace, add and take away")
    func document() {
        var document: Document = ["b": 1, "a": 2, "b": 3]
        #expect(document["b"] == 1 && document.count == 3 && document["c"] == nil)
        document["a"] = "x"
        document["c"] = .null
        #expect(document.keys == ["b", "a", "b", "c"] && document["c"]?.isNull == true)
        document["b"] = nil
        #expect(document == ["a": "x", "c": .null])
        #expect(document != ["c": .null, "a": "x"])
        #expect(document.description == #"{"a":"x","c":null}"#)
        #expect(document.map(\.key) == ["a", "c"])
    }

    @Test("dates round to the millisecond and come back, before 1970 too")
    func dates() {
        for milliseconds: Int64 in [
            0, -1, 1, 999, -999, 1_356_351_330_501, -62_135_596_800_000, 253_402_300_800_000,
            4_398_046_511_104_001, -4_398_046_511_104_001,
        ] {
            let time = BSONDateTime(milliseconds: milliseconds)
            #expect(BSONDateTime(time.date) == time)
        }
        #expect(BSONDateTime(Date.distantFuture).milliseconds == 64_092_211_200_000)
        #expect(BSONDateTime(Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
        #expect(BSONDateTime(Date(timeIntervalSince1970: -1e300)).milliseconds == .min)
        #expect(
            AnyBSON.datetime(Date(timeIntervalSince1970: -0.5)).dateValue
                == Date(timeIntervalSince1970: -0.5))
    }

    @Test("references are documents with $ref, $id and perhaps $db, in this order")
    func references() throws {
        let reference = DBRef(collection: "dogs", id: 7, database: "pets")
        #expect(reference.document == ["$ref": "dogs", "$id": 7, "$db": "pets"])
        #expect(DBRef(reference.document) == reference)
        #expect(
            DBRef(["$ref": "dogs", "$id": .null, "more": 1]) == DBRef(collection: "dogs", id: .null)
        )
        #expect(DBRef(["$id": 1, "$ref": "dogs"]) == nil && DBRef(["$ref": 1, "$id": 1]) == nil)
        #expect(
            DBRef(["$ref": "dogs", "$id": 1, "$db": 1]) == nil && AnyBSON.null.referenceValue == nil
        )
        #expect(try reference.document.extendedJSON() == #"{"$ref":"dogs","$id":7,"$db":"pets"}"#)
    }
}
