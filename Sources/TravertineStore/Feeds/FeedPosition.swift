import SegmentLog

/// A place in the history of a store between two transactions: how far the consumer of a feed has
/// come.
///
/// A consumer that stores it together with its data, in one transaction, applies each
/// transaction of the store exactly once: `Feed.resume(after:)` begins there. As text it has no
/// blanks:
///
///     0f2f9e4c-….1c66b37e5d1d4b8a.1042.7.9a3c….4096.81fe03aa
///
/// One of a feed of objects has what it follows after that.
public struct FeedPosition: Hashable, Sendable {
    let store: StoreIdentity
    let place: LogPlace?
    /// What of the store the consumer follows; 0 for all keys.
    let scope: UInt64

    /// The UUID of the store.
    public var storeUUID: String { store.text }
    /// The lineage of the store in which the transaction was written: another one after a copy, or
    /// a restored backup, was opened.
    public var lineage: UInt64 { place?.lineage ?? store.lineage }
    /// The LSN of the transaction; 0 for the beginning.
    public var lsn: UInt64 { place?.lsn.rawValue ?? 0 }
}

extension FeedPosition {
    /// Whether both are the same place of one store, for the same types.
    public static func == (left: Self, right: Self) -> Bool {
        left.store.isOfSameStore(as: right.store) && left.place == right.place
            && left.lineage == right.lineage && left.scope == right.scope
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(place)
        hasher.combine(lineage)
        hasher.combine(scope)
    }
}

extension FeedPosition: LosslessStringConvertible {
    /// The position as text, for `init(_:)`.
    public var description: String {
        var parts = [store.text, hex(lineage), "\(lsn)"]
        if let place {
            parts += [
                "\(place.segment.rawValue)", hex(place.salt), "\(place.offset)",
                hex(UInt64(place.checksum)),
            ]
        }
        if scope != 0 { parts.append(hex(scope)) }
        return parts.joined(separator: ".")
    }

    private func hex(_ number: UInt64) -> String { String(number, radix: 16) }

    /// Reads a position from its text; nil for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard [3, 4, 7, 8].contains(parts.count),
            var identity = StoreIdentity(uuid: String(parts[0])),
            let lineage = UInt64(parts[1], radix: 16), let lsn = UInt64(parts[2]), lsn < 1 << 62
        else { return nil }
        identity.lineage = lineage
        store = identity
        let isScoped = parts.count % 2 == 0
        guard let scope = isScoped ? UInt64(parts[parts.count - 1], radix: 16) : 0,
            (scope != 0) == isScoped
        else { return nil }
        self.scope = scope
        if parts.count <= 4 {
            guard lsn == 0 else { return nil }
            place = nil
            return
        }
        guard lsn > 0, let number = UInt32(parts[3]), number > 0,
            number <= SegmentNumber.maximum.rawValue, let salt = UInt64(parts[4], radix: 16),
            let offset = UInt32(parts[5]), offset < SegmentHeader.segmentByteCountMax,
            let checksum = UInt32(parts[6], radix: 16)
        else { return nil }
        place = LogPlace(
            segment: SegmentNumber(rawValue: number), salt: salt, lineage: lineage,
            offset: offset, checksum: checksum, lsn: LSN(rawValue: lsn))
    }
}

extension FeedPosition: Codable {
    /// Reads the text of a position.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = FeedPosition(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "This is no position of a feed.")
        }
        self = position
    }

    /// Writes the text of the position.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
