import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

/// Schemas were found that an import refused the samples of: integers with more digits than a
/// double beside fractions were `double`.
@Suite("Samples are imported with the schema that was found for them")
struct SampleImportTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    /// The documents as an export gives them back after an import with the schema found.
    private func roundTrip(
        _ documents: [Document], _ sampler: SchemaSampler, _ note: String
    ) throws -> [Document] {
        for document in documents { sampler.add(document) }
        let schema = sampler.schema()
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [])
        let realm = try Realm(configuration: configuration)
        let collection = DataSource.Collection(database: "d", name: "samples", schema: schema)
        try realm.addTypes(of: [collection])
        let title = try #require(schema.title)
        let importer = try DocumentImporter(
            realm, type: title, schema: schema, collections: [collection])
        try realm.write {
            for document in documents {
                do {
                    try importer.insert(document)
                } catch {
                    Issue.record("\(note): \(error) in \(document) by \(schema.jsonSchema)")
                }
            }
        }
        #expect(
            importer.unknownFields.isEmpty && importer.defaultedFields.values.allSatisfy { $0 > 0 })
        var bytes: [UInt8] = []
        let exporter = try DocumentExporter(
            realm, type: title, schema: schema, collections: [collection])
        try exporter.export(as: .bson) { piece, _ in bytes += piece }
        var stream = DocumentStream(.bson, bytes)
        var read: [Document] = []
        while let document = try stream.next() { read.append(document) }
        return read
    }

    @Test("random samples are imported and come out equal, but for widths, order and null")
    func random() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("samples, seed \(seed)")
        var random = SeededRandom(seed: seed)
        for round in 0..<150 {
            let documents = (0..<1 + random.below(6)).map { index in
                var document: Document = ["_id": .int(index)]
                for _ in 0..<random.below(6) {
                    document["f\(random.below(5))"] = Self.value(&random, depth: 0)
                }
                return document
            }
            let sampler = SchemaSampler(title: "Sample")
            let note = "seed \(seed), round \(round)"
            let read = try roundTrip(documents, sampler, note)
            #expect(sampler.problems().isEmpty, "\(note): \(sampler.problems())")
            #expect(read.count == documents.count, "\(note)")
            for (left, right) in zip(documents, read) {
                #expect(
                    Plain(.document(left)) == Plain(.document(right)), "\(note): \(left) \(right)")
            }
        }
    }

    private static func value(_ random: inout SeededRandom, depth: Int) -> AnyBSON {
        switch random.below(depth < 3 ? 16 : 13) {
        case 0: return .null
        case 1: return .int32(Int32(truncatingIfNeeded: random.next()))
        case 2: return .int64(Int64(bitPattern: random.next()))
        case 3: return .int64(Int64(random.below(1000)))
        case 4: return .double(Double(random.below(1000)) / 8)
        case 5: return .double(Double(bitPattern: random.next() & ~(0x7FF << 52) | 0x3FF << 52))
        case 6: return .decimal128(Decimal128(Int(truncatingIfNeeded: random.next())))
        case 7: return .string(String(random.next(), radix: 36))
        case 8: return .bool(random.below(2) == 0)
        case 9: return .objectId(.generate())
        case 10:
            return .datetime(
                BSONDateTime(milliseconds: Int64(truncatingIfNeeded: random.next() >> 20)))
        case 11: return .uuid(UUID())
        case 12: return .binary(Data([UInt8(truncatingIfNeeded: random.next())]))
        case 13, 14:
            return .array((0..<random.below(4)).map { _ in value(&random, depth: depth + 1) })
        default:
            var document = Document()
            for _ in 0..<random.below(4) {
                document["g\(random.below(3))"] = value(&random, depth: depth + 1)
            }
            return .document(document)
        }
    }

    @Test("integers beyond a double's digits beside fractions are of any type, others are doubles")
    func largeIntegers() throws {
        let large: AnyBSON = .int64(9_007_199_254_740_993)
        let sampler = SchemaSampler(title: "Sample")
        let documents: [Document] = [
            ["_id": 1, "a": large, "b": .int64(1 << 53), "list": [large, 0.5], "c": large],
            ["_id": 2, "a": 0.5, "b": 0.5, "list": [], "c": 1],
            ["_id": 3, "d": [["x": large], ["x": 1.5]]],
        ]
        let read = try roundTrip(documents, sampler, "large")
        let schema = sampler.schema()
        #expect(schema["a"] == .scalar(.mixed) && schema["b"] == .scalar(.double))
        #expect(schema["list"]?.type == .array(of: .scalar(.mixed), isUnique: false))
        #expect(schema["c"] == .scalar(.long))
        #expect(read[0]["a"] == large && read[0].value(at: "list.0") == large)
        #expect(read[2].value(at: "d.0.x") == large)
    }

    @Test("values that no property holds are named with their place, count and what to do")
    func unfitValues() throws {
        let sampler = SchemaSampler(title: "Sample")
        sampler.add([
            "_id": 1, "regex": .regex(BSONRegularExpression(pattern: "a", options: "")),
            "seen": .timestamp(BSONTimestamp(seconds: 1, increment: 2)),
            "in": ["code": .javascript("x"), "list": [.minKey, .minKey, ["max": .maxKey]]],
            "symbol": .symbol("s"), "old": .binary(BSONBinary(Data([1]), subtype: 2)),
            "none": .undefined,
        ])
        sampler.add([
            "seen": .timestamp(BSONTimestamp(seconds: 1, increment: 2)),
            "data": .binary(BSONBinary(Data([1]), subtype: 5)),
            "far": .datetime(BSONDateTime(milliseconds: 9_000_000_000_000_000_123)),
            "scope": .javascriptWithScope(BSONCode("x", scope: [:])),
            "pointer": .pointer(BSONPointer(collection: "a", id: .generate())),
        ])
        sampler.add(Document([("_id", 3), ("twice", 1), ("twice", 2)]))
        let deep = (0..<120).reduce(AnyBSON.int32(1)) { inner, _ in .array([inner]) }
        sampler.add(["_id": 4, "deep": deep, "mixed": [1, ["\u{e9}": 1, "e\u{301}": 2]]])
        let expected: [(String, String, Bool, Int, Int)] = [
            (
                "regex", "a regular expression, which no property holds: write its pattern", true,
                1, 1
            ),
            ("seen", "a timestamp, which no property holds: write a date", true, 2, 1),
            ("in.code", "a program, which no property holds: write a string", true, 1, 1),
            ("in.list", "the least key, which no property holds: write null", true, 2, 1),
            ("in.list.max", "the greatest key", true, 1, 1),
            ("symbol", "a symbol, which becomes a string", false, 1, 1),
            ("old", "binary of subtype 2, the old form of 0, which it becomes", false, 1, 1),
            ("none", "undefined, which becomes null", false, 1, 1),
            ("data", "binary of subtype 5, which no property holds: write subtype 0", true, 1, 2),
            ("far", "a date too far away to keep its milliseconds", true, 1, 2),
            ("scope", "a program with a scope", true, 1, 2),
            ("pointer", "a pointer, which no property holds: write a DBRef", true, 1, 2),
            ("twice", "a name for the second time", true, 1, 3),
            ("deep", "more than 99 levels of arrays and documents", true, 1, 4),
            ("mixed", "names of a dictionary that differ in their bytes alone", true, 1, 4),
            ("_id", "no value for the key", true, 1, 2),
        ]
        let found = sampler.problems()
        #expect(found.map(\.path) == expected.map(\.0))
        for (problem, (path, reason, isRefused, count, position)) in zip(found, expected) {
            #expect(problem.reason.hasPrefix(reason), "\(problem)")
            #expect(problem.isRefused == isRefused && problem.count == count, "\(problem)")
            #expect(problem.firstPosition == position && problem.path == path)
        }
        #expect(found[1].description.hasSuffix("; 2 times, first in document 1"))
        #expect(sampler.schema()["symbol"] == .scalar(.string))
        // What is reported as refused is refused, and nothing else.
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: []))
        try realm.addTypes(
            of: [.init(database: "d", name: "samples", schema: sampler.schema())])
        let importer = try DocumentImporter(realm, type: "Sample")
        try realm.write {
            for (index, value) in [("symbol", AnyBSON.symbol("s")), ("none", .undefined)] {
                try importer.insert(["_id": .int(index.count), index: value])
            }
            for document: Document in [
                ["_id": 9, "mixed": [1, ["\u{e9}": 1, "e\u{301}": 2]]], ["_id": 9, "deep": deep],
                ["_id": 9, "data": .binary(BSONBinary(Data([1]), subtype: 5))],
                ["_id": 9, "regex": .regex(BSONRegularExpression(pattern: "a", options: ""))],
            ] {
                #expect(throws: DocumentRefusal.self) { try importer.insert(document) }
            }
        }
    }
}

/// A value without what an import does not keep: the type of numbers, the order of names, null, and
/// the difference between an empty list or dictionary and none.
private indirect enum Plain: Hashable {
    case number(Decimal128)
    case other(AnyBSON)
    case array([Plain])
    case document([String: Plain])
    case nothing

    init(_ value: AnyBSON) {
        switch value {
        case .null: self = .nothing
        case .int32(let number): self = .number(Decimal128(number))
        case .int64(let number): self = .number(Decimal128(number))
        case .double(let number):
            self = .number(Int64(exactly: number).map { Decimal128($0) } ?? Decimal128(number))
        case .decimal128(let number): self = .number(number)
        case .array(let elements):
            self = elements.isEmpty ? .nothing : .array(elements.map { Plain($0) })
        case .document(let document):
            let members = document.map { ($0.key, Plain($0.value)) }.filter { $0.1 != .nothing }
            self =
                members.isEmpty
                ? .nothing : .document(Dictionary(members) { first, _ in first })
        default: self = .other(value)
        }
    }
}
