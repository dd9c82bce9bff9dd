import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AnyBSON {
    /// What a property of a type would lose of the value, so that it is refused; nil if it keeps
    /// all.
    ///
    /// Fractions of a float are the nearest that there are, as a document has them as doubles.
    func loss(in type: PropertyType) -> String? {
        switch (type, self) {
        case (.double, .int64(let number)) where Double(exactly: number) == nil:
            "\(number) has more digits than a double keeps"
        case (.float, .int64(let number)) where Float(exactly: number) == nil:
            "\(number) has more digits than a float keeps"
        case (.float, .int32(let number)) where Float(exactly: number) == nil:
            "\(number) has more digits than a float keeps"
        case (.float, .double(let number)) where number.isFinite && !Float(number).isFinite:
            "\(number) is beyond what a float holds"
        case (.data, .binary(let binary)), (.any, .binary(let binary)):
            binary.subtype == 0 || binary.subtype == 2
                ? nil
                : "binary of subtype \(binary.subtype), which a property of bytes does not keep"
        case (.date, .datetime(let time)), (.any, .datetime(let time)):
            BSONDateTime(time.date) == time
                ? nil : "\(time.milliseconds) milliseconds since 1970 are more than a date keeps"
        default: nil
        }
    }
}
