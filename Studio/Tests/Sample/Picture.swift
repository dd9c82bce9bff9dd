import Foundation

/// A small picture as PNG: stripes in two colours.
enum Picture {
    private static let side = 48

    static func stripes(seed: Int) -> Data {
        var rows: [UInt8] = []
        let first = color(seed)
        let second = color(seed &* 7 &+ 3)
        for y in 0..<side {
            rows.append(0)
            for x in 0..<side {
                rows += (x + y * (1 + seed % 3)) / 8 % 2 == 0 ? first : second
            }
        }
        var header = bigEndian(UInt32(side)) + bigEndian(UInt32(side))
        header += [8, 2, 0, 0, 0]
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    private static func color(_ seed: Int) -> [UInt8] {
        [0, 8, 16].map { UInt8(truncatingIfNeeded: 60 + ((seed &* 2_654_435_761) >> $0) % 170) }
    }

    /// A stream of zlib whose blocks are stored, not compressed.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let length = [
            UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
        ]
        return [0x78, 0x01, 1] + length + bytes + bigEndian(high << 16 | low)
    }

    private static func chunk(_ name: String, _ bytes: [UInt8]) -> Data {
        let body = Array(name.utf8) + bytes
        return Data(bigEndian(UInt32(bytes.count)) + body + bigEndian(checksum(body)))
    }

    /// The CRC-32 of PNG.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var result = UInt32.max
        for byte in bytes {
            result ^= UInt32(byte)
            for _ in 0..<8 { result = result & 1 == 1 ? result >> 1 ^ 0xEDB8_8320 : result >> 1 }
        }
        return ~result
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
}
