/// The normal form of stored values of any type, which is the same for equal ones.
///
/// What is stored keeps the digits of a decimal, the sign of a zero and the payload of a NaN. Sets,
/// indexes and queries compare normal forms: a decimal has as few digits as it can, zero no sign,
/// and NaN no payload.
extension MixedCode {
    /// The normal form, if it is another than the bytes.
    static func normal(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let tag = bytes.first else { return nil }
        switch (tag, bytes.count) {
        case (self.tag(.double), 9), (self.tag(.date), 9):
            let word = bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
            let number = Double(bitPattern: UInt64(littleEndian: word))
            guard number.isNaN || number == 0 else { return nil }
            let normal = number.isNaN ? Double.nan.bitPattern : 0
            return [tag] + withUnsafeBytes(of: normal.littleEndian, Array.init)
        case (self.tag(.float), 9):
            let word = bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
            let number = Float(
                bitPattern: UInt32(truncatingIfNeeded: UInt64(littleEndian: word)))
            guard number.isNaN || number == 0 else { return nil }
            return encode(plain: .float(number.isNaN ? .nan : 0))
        case (self.tag(.decimal128), 17):
            let number = Decimal128(stored: UnsafeRawBufferPointer(rebasing: bytes[1...]))
            return encode(plain: .decimal128(number.normal))
        default: return nil
        }
    }

    /// Calls `body` with the normal form.
    static func withNormal<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        guard let normal = normal(bytes) else { return try body(bytes) }
        return try normal.withUnsafeBytes(body)
    }

    /// Less than 0, 0, or more than 0: the order of two stored values, by their normal forms.
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        withNormal(left) { left in withNormal(right) { left.order(to: $0) } }
    }
}

extension Decimal128 {
    /// The number of the cohort with the fewest digits; the same for all equal numbers.
    var normal: Decimal128 {
        if isNaN { return .nan }
        guard var parts = finite else { return isSigned ? -.infinity : .infinity }
        if parts.coefficient == 0 {
            return Decimal128(Finite(isNegative: false, coefficient: 0, exponent: 0))
        }
        while parts.exponent < Self.exponentMax {
            let (quotient, remainder) = parts.coefficient.quotientAndRemainder(dividingBy: 10)
            if remainder != 0 { break }
            parts.coefficient = quotient
            parts.exponent += 1
        }
        return Decimal128(parts)
    }
}
