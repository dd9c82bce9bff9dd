#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes with a subtype that says what they are.
public struct BSONBinary: Sendable, Hashable {
    /// 0 is generic, 4 a UUID, 5 an MD5 sum, from 128 on the user's own.
    public var subtype: UInt8
    /// The bytes; for the old subtype 2, without the inner length.
    public var data: Data

    /// Bytes of a subtype.
    public init(_ data: Data, subtype: UInt8 = 0) {
        self.subtype = subtype
        self.data = data
    }
}
