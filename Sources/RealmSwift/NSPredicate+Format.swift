import Foundation
import Travertine

#if !canImport(Darwin)
    extension NSPredicate {
        /// A condition as a text with arguments, for `filter(_:)` and `index(matching:)`.
        ///
        /// ```swift
        /// let old = NSPredicate(format: "age > %@ AND name BEGINSWITH[c] %@", 3, "r")
        /// let dogs = realm.objects(Dog.self).filter(old)
        /// ```
        /// The text is read when the predicate is used. It can be combined with others by
        /// `NSCompoundPredicate`. Only collections of a realm evaluate it: `evaluate(with:)` stops.
        public convenience init(format predicateFormat: String, _ arguments: Any?...) {
            self.init(format: predicateFormat, values: arguments)
        }

        /// A condition as a text with an array of its arguments.
        public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
            self.init(format: predicateFormat, values: arguments ?? [])
        }

        private convenience init(format: String, values: [Any?]) {
            let carried = CarriedFormat(text: format, arguments: values)
            self.init { object, _ in
                guard let question = object as? FormatQuestion else {
                    fatalError(
                        "NSPredicate(format: \"\(carried.text)\") is evaluated by collections of a "
                            + "realm only: filter(_:) and index(matching:).")
                }
                question.answer = carried
                return true
            }
        }
    }

    /// The text and the arguments that a predicate's block carries. Foundation wants a block that
    /// may be called by any thread; the arguments are read only where the predicate is used.
    private struct CarriedFormat: @unchecked Sendable {
        var text: String
        var arguments: [Any?]
    }

    /// What a predicate is evaluated with to get its text.
    private final class FormatQuestion {
        var answer: CarriedFormat?
    }

    extension NSPredicate {
        /// The text and the arguments of the predicate; nil for one with a block.
        fileprivate var format: FormatPredicate? {
            let question = FormatQuestion()
            _ = evaluate(with: question)
            return question.answer.map { .text($0.text, $0.arguments) }
        }

        /// What the predicate always is; nil for one with a block.
        fileprivate var constantValue: Bool? {
            [true, false].first { NSPredicate(value: $0).isEqual(self) }
        }
    }
#else
    extension NSPredicate {
        /// The text of the predicate; nil for one with a block.
        fileprivate var format: FormatPredicate? {
            predicateFormat.hasPrefix("BLOCKPREDICATE(") ? nil : .text(predicateFormat, [])
        }

        /// None that the text does not say.
        fileprivate var constantValue: Bool? { nil }
    }
#endif

extension NSPredicate {
    /// The texts with arguments that the predicate is made of.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput` for a predicate with a block.
    func formatPredicate() throws -> FormatPredicate {
        if let compound = self as? NSCompoundPredicate {
            // Darwin has them as `Any`.
            let subpredicates: [Any] = compound.subpredicates
            let parts = try subpredicates.map { part in
                guard let part = part as? NSPredicate else { throw Self.refusal }
                return try part.formatPredicate()
            }
            switch compound.compoundPredicateType {
            case .not: return .not(parts.count == 1 ? parts[0] : .and(parts))
            case .or: return .or(parts)
            default: return .and(parts)
            }
        }
        if let value = constantValue { return .constant(value) }
        guard let format else { throw Self.refusal }
        return format
    }

    private static var refusal: Realm.Error {
        Realm.Error(
            .invalidInput,
            "NSPredicate(block:) can't be used for a query: use NSPredicate(format:), where { … } or "
                + "filter { … }.")
    }
}
