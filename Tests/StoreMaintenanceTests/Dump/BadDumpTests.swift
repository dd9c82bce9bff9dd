import Foundation
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

@Suite("Dumps that can't be loaded")
struct BadDumpTests {
    private let directory: TemporaryDirectory
    private let dump: [UInt8]

    private static let header =
        #"{"travertineDump":1,"store":"0","lsn":1,"whole":true}"#
    private static let keyspace = #"{"keyspace":1,"name":"default","kind":"records"}"#
    private static let end =
        #"{"end":true,"keyspaceCount":1,"recordCount":0,"crc32c":"00000000"}"#

    init() throws {
        directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("source"))
        try store.write { transaction in
            let derived = try transaction.keyspace(named: "d", kind: .derived)
            for key in ["a", "b", "\u{0}"] {
                try transaction.put("é \(key)", forKey: key)
                _ = try key.withBytes { (bytes) throws(StoreError) in
                    try transaction.indexPut(bytes, value: 7, in: derived.identifier)
                }
            }
        }
        dump = try store.snapshot().dumpBytes()
        try store.close()
    }

    /// What the loader says of a dump, without a directory: fast enough for every byte.
    private func loaderError(of dump: [UInt8]) throws -> DumpError? {
        var options = StoreOptions()
        options.environment = Environment(
            fileSystem: SimulatedDisk(seed: 1, fileCapacity: 2 << 20).start(),
            executor: ManualExecutor(), now: { 1 }, random: { 1 })
        let store = try Store.open(at: "/store", options: options)
        var position = 0
        var loader = DumpLoader(store, progress: nil) { target in
            let count = min(target.count, dump.count - position)
            target.copyBytes(from: dump[position..<position + count])
            position += count
            return count
        }
        do {
            _ = try loader.load()
            return nil
        } catch let error as DumpError {
            return error
        }
    }

    private func error(of dump: [UInt8]) throws -> DumpError? {
        do {
            try Store.load(at: directory.path("copy"), dump)
            try FileManager.default.removeItem(atPath: directory.path("copy"))
            return nil
        } catch let error as DumpError {
            #expect(!FileManager.default.fileExists(atPath: directory.path("copy")))
            #expect(!FileManager.default.fileExists(atPath: directory.path("copy.loading")))
            return error
        }
    }

    private func error(of lines: String...) throws -> DumpError? {
        try error(of: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    @Test("a dump that was cut off anywhere is refused")
    func everyLength() throws {
        #expect(try loaderError(of: dump) == nil)
        for length in SampledNumbers(below: dump.count, oneOf: 4) {
            let error = try #require(try loaderError(of: Array(dump[..<length])), "\(length)")
            let reasons: [DumpError.Reason] = [.truncated, .notADump]
            #expect(reasons.contains(error.reason), "\(length): \(error)")
        }
    }

    @Test("a dump with any byte changed is refused")
    func everyByte() throws {
        var generator = SeededRandom(seed: 5)
        for place in SampledNumbers(below: dump.count, oneOf: 4) {
            var changed = dump
            changed[place] ^= UInt8.random(in: 1...255, using: &generator)
            let error = try #require(try loaderError(of: changed), "byte \(place)")
            #expect(error.line >= 1)
        }
    }

    @Test("text after the end line is refused")
    func trailing() throws {
        let error = try error(of: dump + Array("\n".utf8))
        #expect(error?.reason == .trailingText)
        #expect(error?.line == dump.split(separator: 0x0a).count + 1)
    }

    @Test(
        "every kind of malformed line has its own error",
        arguments: [
            (#"["#, "syntax"), (#"{"in":1,"key":"a","value":"b"} x"#, "syntax"),
            (#"{"in":1,"key":"a","value":"b\q"}"#, "syntax"),
            (#"{"in":1,"key":"a","value":"\ud800"}"#, "syntax"),
            (#"{"in":1,"key":"a","value":"\u12"}"#, "syntax"),
            (#"{"in":01,"key":"a","value":"b"}"#, "syntax"),
            (#"{"in":99999999999999999999999,"key":"a"}"#, "syntax"),
            (#"{"in":null}"#, "syntax"), (#"{"in":1,"key":"a","value":"b""#, "syntax"),
            (#"{"in":1,"key":"a"}"#, "missingMember"), (#"{}"#, "missingMember"),
            (#"{"in":1,"value":"a"}"#, "missingMember"),
            (#"{"in":1,"key":"a","value":"b","more":1}"#, "unknownMember"),
            (#"{"in":1,"key":"a","key":"a","value":"b"}"#, "duplicateMember"),
            (#"{"in":1,"key":"a","key64":"YQ==","value":"b"}"#, "duplicateMember"),
            (#"{"in":true,"key":"a","value":"b"}"#, "badValue"),
            (#"{"in":1,"key":1,"value":"b"}"#, "badValue"),
            (#"{"in":1,"key64":"YQ=","value":"b"}"#, "badValue"),
            (#"{"in":1,"key64":"YR==","value":"b"}"#, "badValue"),
            (#"{"in":1,"key64":"Y*==","value":"b"}"#, "badValue"),
            (#"{"in":9,"key":"a","value":"b"}"#, "unknownKeyspace"),
            (#"{"keyspace":3,"name":"x","kind":"records"}"#, "keyspaceOutOfOrder"),
            (#"{"keyspace":2,"name":"default","kind":"records"}"#, "badValue"),
            (#"{"keyspace":2,"name":"","kind":"records"}"#, "badValue"),
            (#"{"keyspace":2,"name":"x","kind":"other"}"#, "badValue"),
            (#"{"keyspace":2,"name":"x","kind":"derived"}"#, "missingMember"),
            (#"{"end":false,"keyspaceCount":1,"recordCount":0,"crc32c":"00000000"}"#, "badValue"),
            (#"{"end":true,"keyspaceCount":1,"recordCount":0,"crc32c":"0"}"#, "badValue"),
            (
                #"{"end":true,"keyspaceCount":1,"recordCount":2,"crc32c":"00000000"}"#,
                "countMismatch"
            ),
            (end, "checksumMismatch"),
        ])
    func malformed(line: String, kind: String) throws {
        let error = try #require(try error(of: Self.header, Self.keyspace, line, Self.end))
        #expect(error.line == 3, "\(error)")
        #expect("\(error.reason)".hasPrefix(kind), "\(error)")
        #expect(error.description.hasPrefix("line 3: "))
        #expect(error.description.hasSuffix("."))
    }

    @Test("keyspaces and keys have their order")
    func order() throws {
        let first = #"{"in":1,"key":"b","value":""}"#
        func reason(_ lines: String...) throws -> DumpError.Reason? {
            let text = ([Self.header, Self.keyspace] + lines + [Self.end]).map { $0 + "\n" }
            return try error(of: Array(text.joined().utf8))?.reason
        }
        #expect(try reason(first, first) == .keyOutOfOrder)
        #expect(try reason(first, #"{"in":1,"key":"a","value":""}"#) == .keyOutOfOrder)
        let two = #"{"keyspace":2,"name":"x","kind":"records"}"#
        #expect(try reason(first, two) == .misplacedKeyspace)
        #expect(
            try reason(two, #"{"in":2,"key":"a","value":""}"#, first) == .keyOutOfOrder)
        #expect(
            try reason(two, #"{"keyspace":3,"name":"x","kind":"records"}"#)
                == .duplicateKeyspace("x"))
        #expect(
            try reason(#"{"keyspace":2,"name":"x","kind":"dropped"}"#, #"{"in":2,"key":"a"}"#)
                == .unknownKeyspace(2))
    }

    @Test("keys that are too long, other files, and newer forms are distinguished")
    func limits() throws {
        let key = String(repeating: "k", count: 513)
        let long = try error(
            of: Self.header, Self.keyspace, #"{"in":1,"key":"\#(key)","value":""}"#)
        #expect(long?.reason == .tooLarge(member: "key", byteCount: 513))
        #expect(try error(of: "id,name", "1,x")?.reason == .notADump)
        let newer = Self.header.replacingOccurrences(of: ":1,\"store", with: ":2,\"store")
        #expect(try error(of: newer)?.reason == .newerVersion(2))
    }

    @Test("a line without an end is refused before it fills the memory")
    func endlessLine() throws {
        var isFirst = true
        let error = #expect(throws: DumpError.self) {
            try Store.load(at: directory.path("copy")) { target in
                target.initializeMemory(as: UInt8.self, repeating: 0x20)
                if isFirst { target.copyBytes(from: Array((Self.header + "\n").utf8)) }
                isFirst = false
                return target.count
            }
        }
        #expect(error?.reason == .lineTooLong)
        #expect(error?.line == 2)
    }

    @Test("a load does not touch a directory that holds something")
    func occupied() throws {
        let error = #expect(throws: StoreError.self) {
            try Store.load(at: directory.path("source"), dump)
        }
        #expect(error?.code == .misuse)
        #expect(try StoreVerifier.verify(path: directory.path("source")).isSound)
    }
}
