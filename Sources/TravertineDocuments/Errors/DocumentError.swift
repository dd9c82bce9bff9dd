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

extension DocumentError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
