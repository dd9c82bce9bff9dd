import Foundation
import TestSupport
import Testing

@testable import TravertineDocuments

/// Documents as pymongo's `bson` sees them.
enum Pymongo {
    static let folder = ProjectFiles.url("Tests/TravertineDocumentsTests/Data/Python")

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
        let python = ProcessInfo.processInfo.environment["TRAVERTINE_PYTHON"] ?? "python3"
        let script = folder.appending(path: "pymongo_documents.py").path
        let run = try CommandRun(found: python, [script] + arguments, input: input)
        // 3 is the script's word for "no pymongo", 127 that of env for "no such program".
        if [3, 127].contains(run.status) { return nil }
        try #require(run.status == 0, "\(run.errors)")
        return run.lines
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

extension SeededRandom {
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
