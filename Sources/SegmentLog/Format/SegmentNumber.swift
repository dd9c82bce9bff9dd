/// The number of a segment: grows with every segment that a store creates, never reused.
public struct SegmentNumber: RawRepresentable, Comparable, Hashable, Sendable, BitwiseCopyable {
    /// The number.
    public var rawValue: UInt32

    /// The segment number with that value.
    @inlinable public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The number that no segment has.
    @inlinable public static var none: SegmentNumber { SegmentNumber(rawValue: 0) }

    /// The greatest number: a location has 31 bits for it.
    public static let maximum = SegmentNumber(rawValue: 0x7fff_ffff)

    /// Whether a segment was created before another one.
    @inlinable public static func < (left: SegmentNumber, right: SegmentNumber) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The file name of the segment: ten decimal digits and `.segment`.
    package var fileName: String {
        let digits = String(rawValue)
        return String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
            + Self.fileNameExtension
    }

    private static let digitCount = 10
    private static let fileNameExtension = ".segment"

    /// The path of the segment's file in the directory of its log.
    func path(in directory: String) -> String { directory + "/" + fileName }

    /// The number of the segment with a file name; nil for other names, and for a number
    /// that no segment can have.
    package init?(fileName: String) {
        let bytes = Array(fileName.utf8)
        guard bytes.count == Self.digitCount + Self.fileNameExtension.utf8.count,
            fileName.hasSuffix(Self.fileNameExtension)
        else { return nil }
        var number: UInt64 = 0
        for byte in bytes[..<Self.digitCount] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + UInt64(byte - 0x30)
        }
        guard number > 0, number <= UInt64(Self.maximum.rawValue) else { return nil }
        rawValue = UInt32(number)
    }
}

extension SegmentNumber: CustomStringConvertible {
    /// The number in digits.
    public var description: String { String(rawValue) }
}
