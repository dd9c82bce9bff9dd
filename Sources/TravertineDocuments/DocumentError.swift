import TravertineJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is wrong with a document, with the place in it.
public enum DocumentError: Error, Sendable, Hashable {
    /// The bytes are no BSON document; the offset is where that shows.
    case invalidBSON(reason: String, offset: Int)
    /// The text is no JSON, or no Extended JSON.
    case invalidJSON(reason: String, position: TextPosition)
    /// The text is JSON but not a schema or relationships.
    case invalidSchema(reason: String, position: TextPosition)
    /// The document has no such encoding; the path names the value.
    case notEncodable(reason: String, path: String)
}

extension DocumentError {
    /// The error of a text that is not the JSON that is expected.
    init(_ failure: JSONFailure, in text: UnsafeRawBufferPointer) {
        self = .invalidJSON(
            reason: failure.reason, position: TextPosition(offset: failure.offset, in: text))
    }
}

extension DocumentError: CustomStringConvertible {
    /// What is wrong, and where.
    public var description: String {
        switch self {
        case .invalidBSON(let reason, let offset): "invalid BSON at byte \(offset): \(reason)"
        case .invalidJSON(let reason, let position): "invalid JSON at \(position): \(reason)"
        case .invalidSchema(let reason, let position): "invalid schema at \(position): \(reason)"
        case .notEncodable(let reason, let path):
            "not encodable" + (path.isEmpty ? "" : ", \(path)") + ": \(reason)"
        }
    }
}

/// A place in a text.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
    /// Bytes before the place.
    public let offset: Int
    /// The line, from 1.
    public let line: Int
    /// The byte in the line, from 1.
    public let column: Int

    init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// The place at an offset of a text.
    init(offset: Int, in text: UnsafeRawBufferPointer) {
        let before = text.prefix(offset)
        self.offset = offset
        line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        column = offset - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
    }

    /// "line 3, column 7 (byte 52)".
    public var description: String { "line \(line), column \(column) (byte \(offset))" }
}

/// Limits of all document formats.
enum DocumentLimits {
    /// The most levels, in what is read and what is written: documents and arrays in each other; a
    /// program with a scope is one, and its scope another. How a format writes other values does
    /// not count.
    static let depthMax = 200

    /// Why a value with more levels is not written.
    static let tooDeep = "it has more than \(depthMax) levels"
}

extension DocumentError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
