import Foundation
import TestSupport
import Testing
import Travertine

@testable import TravertineDocuments

@Suite("Coding of documents")
struct CodingTests {
    private struct Pet: Codable, Equatable {
        enum Kind: String, Codable { case dog, cat }

        var id: ObjectId
        var uuid: UUID
        var born: Date
        var price: Decimal128
        var picture: Data
        var kind: Kind
        var legs: UInt8
        var far: Int64
        var weight: Double
        var size: Float
        var note: String?
        var tags: [String]
        var counts: [String: Int]
        var parent: [Pet]
        var free: AnyBSON
        var more: Document
        var cost: Decimal
    }

    @Test("values go into documents with the types of documents, and come back")
    func roundTrip() throws {
        let parent = pet("1.50", parent: [])
        let child = pet("2.00", parent: [parent])
        let document = try DocumentEncoder().encode(child)
        #expect(document["born"] == .datetime(BSONDateTime(milliseconds: 1_500)))
        #expect(document["price"]?.decimal128Value?.description == "2.00")
        #expect(document["legs"] == 4 && document["far"] == .int64(1 << 40))
        #expect(document["note"] == nil && document["tags"] == ["a", "b"])
        #expect(document["id"] == .objectId(child.id) && document["kind"] == "dog")
        #expect(document["free"] == .maxKey && document["more"] == .document(["x": 1, "a": .null]))
        #expect(document["cost"] == .decimal128("19.95"))
        let read = try Document(bson: document.bson())
        #expect(try DocumentDecoder().decode(Pet.self, from: read) == child)
    }

    private func pet(_ price: Decimal128, parent: [Pet]) -> Pet {
        Pet(
            id: .generate(), uuid: UUID(), born: Date(timeIntervalSince1970: 1.5), price: price,
            picture: Data([1, 2]), kind: .dog, legs: 4, far: 1 << 40, weight: 1, size: 0.5,
            note: nil, tags: ["a", "b"], counts: ["x": 1], parent: parent, free: .maxKey,
            more: ["x": 1, "a": .null], cost: Decimal(string: "19.95")!)
    }

    private class Base: Codable { var a = 1 }

    private final class Derived: Base {
        var b = 2
        private enum Keys: CodingKey { case b, list, inner }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            b = try container.decode(Int.self, forKey: .b)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            #expect(try list.decode(Int.self) == 7 && !list.decodeNil())
            let inner = try list.nestedContainer(keyedBy: Keys.self)
            #expect(try inner.decode(String.self, forKey: .b) == "x")
            #expect(try list.decodeNil() && list.isAtEnd)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(b, forKey: .b)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(7)
            var inner = list.nestedContainer(keyedBy: Keys.self)
            try inner.encode("x", forKey: .b)
            try list.encodeNil()
            #expect(list.count == 3)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("nested containers and superclasses code as they do elsewhere")
    func nesting() throws {
        let value = Derived()
        value.a = 5
        let document = try DocumentEncoder().encode(value)
        #expect(document == ["b": 2, "list": [7, ["b": "x"], .null], "super": ["a": 5]])
        let read = try DocumentDecoder().decode(Derived.self, from: document)
        #expect(read.a == 5 && read.b == 2)
    }

    @Test("numbers convert where nothing is lost, and errors have their path")
    func errors() throws {
        let decoder = DocumentDecoder()
        #expect(try decoder.decode([Int].self, from: [1, .int64(2), 3.0]) == [1, 2, 3])
        #expect(try decoder.decode([Double].self, from: [1, 2.5]) == [1, 2.5])
        #expect(try decoder.decode([Int?].self, from: [1, .null]) == [1, nil])
        #expect(try decoder.decode(Decimal128.self, from: 7) == 7)
        let bad: [(AnyBSON, String)] = [
            (["a": ["b": [1, "x"]]], "a.b.1"), (["a": ["b": [1, 1.5]]], "a.b.1"),
            (["a": ["b": [300]]], "a.b.0"), (["a": ["b": .null]], "a.b"), (["a": 1], "a"),
            (["a": [:]], "a"),
        ]
        for (value, path) in bad {
            do {
                _ = try decoder.decode([String: [String: [UInt8]]].self, from: value)
                if path != "a" || value == ["a": 1] { Issue.record("\(value) was decoded") }
            } catch let error as DecodingError {
                #expect(error.path == path, "\(error)")
            }
        }
        #expect(throws: DecodingError.self) { try decoder.decode(Pet.self, from: Document()) }
        #expect(throws: EncodingError.self) { try DocumentEncoder().encode(["a": UInt64.max]) }
        #expect(throws: EncodingError.self) { try DocumentEncoder().encode([1]) }
        #expect(try DocumentEncoder().encodeValue([1, 2]) == [1, 2])
        #expect(try DocumentEncoder().encode([String: Int]()) == [:])
    }

    @Test("a number that would be rounded is an error, and what is exact is not")
    func exactNumbers() throws {
        let decoder = DocumentDecoder()
        #expect(try decoder.decode(Float.self, from: 0.5) == 0.5)
        #expect(try decoder.decode(Float.self, from: 16_777_216) == 16_777_216)
        #expect(try decoder.decode(Float.self, from: .double(.nan)).isNaN)
        #expect(try decoder.decode(Float.self, from: .double(-.infinity)) == -.infinity)
        #expect(try decoder.decode(Decimal.self, from: .decimal128("1.50")) == Decimal(1.5))
        for value: AnyBSON in [
            0.12345678901, .double(0.1.nextUp), 16_777_217, 123_456_790, 1e300, .int64(1 << 53 | 1),
        ] {
            let error = #expect(throws: DecodingError.self) {
                try decoder.decode([Float].self, from: .array([value]))
            }
            #expect("\(error as Any)".contains("which it can't be whole"), "\(error as Any)")
        }
        #expect(throws: DecodingError.self) {
            try decoder.decode(Double.self, from: .int64(1 << 53 | 1))
        }
        #expect(throws: DecodingError.self) {
            try decoder.decode(Decimal.self, from: .decimal128("1E+6000"))
        }
        let encoder = DocumentEncoder()
        for text in ["0.1", "-9999999999999999999999999999999999", "1e-100", "0"] {
            let number = try #require(Decimal(string: text))
            let value = try encoder.encodeValue(number)
            #expect(try decoder.decode(Decimal.self, from: value) == number)
        }
        for text in [
            "12345678901234567890123456789012345", "0.12345678901234567890123456789012345",
        ] {
            let number = try #require(Decimal(string: text))
            #expect(throws: EncodingError.self) { try encoder.encode(["a": number]) }
        }
        #expect(try encoder.encodeValue(Decimal.nan).decimal128Value?.isNaN == true)
        #expect(try decoder.decode(Float.self, from: encoder.encodeValue(Float(0.1))) == 0.1)
    }

    @Test("a number is the float that is written so, as an importer takes it")
    func writtenFloats() throws {
        let decoder = DocumentDecoder()
        for text in ["0.1", "-2.7", "3.4028235e38", "1e-45", "123456.79"] {
            let document = try Document(extendedJSON: "{\"a\": \(text)}")
            let found = try decoder.decode([String: Float].self, from: document)
            #expect(try found["a"] == #require(Float(text)), "\(text)")
        }
        var random = SeededRandom(seed: 7)
        for _ in 0..<10_000 {
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            guard float.isFinite else { continue }
            let number = try #require(Double(float.description))
            #expect(try decoder.decode(Float.self, from: .double(number)) == float)
        }
    }

    @Test("documents go through other coders in the shape of Extended JSON")
    func otherCoders() throws {
        let document: Document = [
            "a": 1, "b": 1.5, "c": "x", "d": .null, "e": [true, ["f": .int64(1 << 40)]],
            "id": .objectId(.generate()), "when": .datetime(BSONDateTime(milliseconds: -5)),
            "nan": .double(-.infinity), "raw": .binary(Data([1])), "least": .minKey,
            "stamp": .timestamp(BSONTimestamp(seconds: 1, increment: 2)),
        ]
        let data = try JSONEncoder().encode(document)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""when":{"$date":{"$numberLong":"-5"}}"#))
        let read = try JSONDecoder().decode(Document.self, from: data)
        #expect(Set(read) == Set(document))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Document.self, from: Data("[1]".utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Document.self, from: Data(#"{"a":{"$oid":"x"}}"#.utf8))
        }
    }
}

extension DecodingError {
    fileprivate var path: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: "?"
        }
    }
}
