/// Which property of which managed object a wrapper is, in 55 bits.
///
/// The compiler's `encode(to:)` of a class encodes each wrapper by itself, as a copy: it must have
/// the object and property that it belongs to. The object's address takes 44 bits, as objects lie
/// at multiples of 16 below 2^48, and the slot the other 11. The address is that of the object that
/// the wrapper is in, and is not retained: a copy of a wrapper must not outlive its object, and
/// nothing but the compiler's `encode(to:)` makes one.
struct PropertyLocator {
    static let managedBit: UInt8 = 0x80
    private static let slotMax = 1 << 11 - 1

    let attributes: UInt8
    let high: UInt16
    let low: UInt32

    /// Nil if the address or the slot is one that there is no room for.
    init?(_ object: ObjectBase, slot: Int) {
        let address = UInt(bitPattern: object._memory)
        guard address & 15 == 0, UInt64(address) >> 48 == 0, slot <= Self.slotMax else {
            return nil
        }
        let packed = UInt64(address) | UInt64(slot & 15)
        attributes = Self.managedBit | UInt8(slot >> 4)
        high = UInt16(packed >> 32)
        low = UInt32(truncatingIfNeeded: packed)
    }

    /// Nil if what was stored is no locator.
    init?(attributes: UInt8, high: UInt16, low: UInt32) {
        guard attributes & Self.managedBit != 0, high != 0 || low >= 16 else { return nil }
        self.attributes = attributes
        self.high = high
        self.low = low
    }

    var slot: Int { Int(attributes & ~Self.managedBit) << 4 | Int(low & 15) }

    var object: ObjectBase? {
        let address = UInt64(high) << 32 | UInt64(low & ~15)
        return UnsafeRawPointer(bitPattern: UInt(address)).map {
            Unmanaged<ObjectBase>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
