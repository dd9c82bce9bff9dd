import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values as messages print them: single ones as they are, what holds others by its type alone.
enum ValueText {
    private static let characterCountMax = 60

    /// "5 of type Int", "a value of type Results<Dog>", "nil".
    static func withType(_ value: Any?) -> String {
        guard let value, !isNone(value) else { return "nil" }
        return "\(short(value) ?? "a value") of type \(type(of: value))"
    }

    /// "'5'", "of type 'Results<Dog>'".
    static func quoted(_ value: Any?) -> String {
        guard let value, !isNone(value) else { return "'nil'" }
        return short(value).map { "'\($0)'" } ?? "of type '\(type(of: value))'"
    }

    /// The text of a single value, cut if it is long; nil for collections, objects and data.
    private static func short(_ value: Any) -> String? {
        let isSingle =
            value is String || value is any Numeric || value is Bool || value is Date
            || value is UUID || value is ObjectId || value is Decimal128
        guard isSingle else { return nil }
        let text = "\(value)"
        return text.count > characterCountMax ? text.prefix(characterCountMax) + "…" : text
    }
}
