import SegmentLog

extension StoreIdentity {
    /// The UUID in the usual 36 characters.
    package var text: String {
        func hex(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return [
            hex(uuidHigh >> 32, 8), hex(uuidHigh >> 16 & 0xffff, 4), hex(uuidHigh & 0xffff, 4),
            hex(uuidLow >> 48, 4), hex(uuidLow & 0xffff_ffff_ffff, 12),
        ].joined(separator: "-")
    }

    /// The identity with a UUID of 36 characters and lineage 0; nil if the text is none.
    package init?(uuid text: String) {
        let digits = text.filter { $0 != "-" }
        guard digits.utf8.count == 32, text.utf8.count == 36,
            let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(uuidLow: low, uuidHigh: high, lineage: 0)
    }
}

extension Store {
    /// The two halves of the store's UUID.
    package var uuid: (low: UInt64, high: UInt64) { (log.identity.uuidLow, log.identity.uuidHigh) }
}
