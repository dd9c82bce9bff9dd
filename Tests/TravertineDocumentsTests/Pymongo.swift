import Foundation
import Testing

@testable import TravertineDocuments

/// Documents as pymongo's `bson` sees them.
enum Pymongo {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Python")

    /// How many random documents are compared; the environment's TRAVERTINE_DOCUMENTS sets it.
    static var documentCount: Int {
        let count = ProcessInfo.processInfo.environment["TRAVERTINE_DOCUMENTS"].flatMap { Int($0) }
        return max(1, count ?? 10_000)
    }

    /// A document in four forms.
    struct Sample {
        let bson: [UInt8]
        let canonical: String
        let relaxed: String
        /// The BSON of what the relaxed form reads as.
        let relaxedBSON: [UInt8]

        init(line: String) throws {
            let parts = line.components(separatedBy: "\t")
            try #require(parts.count == 4)
            bson = try #require(bytes(ofHexadecimal: parts[0]))
            canonical = parts[1]
            relaxed = parts[2]
            relaxedBSON = try #require(bytes(ofHexadecimal: parts[3]))
        }
    }

    /// The committed samples.
    static func samples() throws -> [Sample] {
        let text = try String(
            contentsOf: folder.appending(path: "documents.txt"), encoding: .utf8)
        return try text.split(separator: "\n").map { try Sample(line: String($0)) }
    }

    /// The lines that the script writes; nil where no Python with pymongo is found.
    ///
    /// The environment's TRAVERTINE_PYTHON names one, else `python3` is asked.
    static func run(_ arguments: [String], input: String = "") throws -> [String]? {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "travertine-documents-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { unlink(file.path) }
        let process = Process()
        let python = ProcessInfo.processInfo.environment["TRAVERTINE_PYTHON"] ?? "python3"
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [python, folder.appending(path: "pymongo_documents.py").path] + arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // 3 is the script's word for "no pymongo", 127 that of env for "no such program".
        if [3, 127].contains(process.terminationStatus) { return nil }
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static func bytes(ofHexadecimal text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}

/// A repeatable source of random numbers (SplitMix64).
struct RandomStream: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Bytes with some changed, taken out, put in or moved.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(4) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(6) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 1: bytes[place] ^= 1 << UInt8(below(8))
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            case 4: bytes.removeSubrange(place...)
            default:
                let length = below(min(8, bytes.count - place)) + 1
                bytes.insert(contentsOf: bytes[place..<place + length], at: below(bytes.count))
            }
        }
        return bytes
    }
}
