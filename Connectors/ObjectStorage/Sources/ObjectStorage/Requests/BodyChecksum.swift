import Crypto
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The SHA-256 of a body, in the two spellings that S3 wants.
struct BodyChecksum: Hashable, Sendable {
    static let headerName = "x-amz-checksum-sha256"

    /// For the signature.
    let hexadecimal: String
    /// For `x-amz-checksum-sha256`.
    let base64: String

    init(_ digest: SHA256.Digest) {
        hexadecimal = Hexadecimal.encode(digest)
        base64 = Self.base64(digest)
    }

    /// The checksum of bytes in memory.
    init(of bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

    static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }

    /// The checksum of a whole object that an answer's headers give.
    ///
    /// That of an object which was uploaded in parts is a checksum of checksums, and is skipped.
    static func wholeObject(in headers: HTTPHeaders) -> String? {
        guard headers.first(name: "x-amz-checksum-type") != "COMPOSITE" else { return nil }
        return headers.first(name: headerName).flatMap { $0.contains("-") ? nil : $0 }
    }
}
