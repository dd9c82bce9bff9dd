import Foundation

/// Looks for a regular expression in texts, for a bounded time.
///
/// Patterns come from schema files and texts from documents, and matching by trial can take
/// exponential time: `(a+)+$` on forty letters. The engine reports at every place of the text where
/// a match may begin, and every ten thousand steps; so many reports are allowed as the text has
/// places, and a hundred more. As a long text has many places, there is a limit of time besides.
struct PatternMatcher {
    /// What became of a text.
    enum Outcome {
        case found
        case notFound
        /// The time was not enough to decide.
        case undecided
        /// The engine's memory was not enough to decide.
        case tooMuchMemory
    }

    /// The pattern as the schema has it.
    let pattern: String
    private let expression: NSRegularExpression
    private static let spareReportCount = 100
    private static let reportsPerLookAtClock = 100
    private static let timeMax = Duration.seconds(1)

    /// A matcher; nil for a text that is no regular expression.
    init?(_ pattern: String) {
        // The engine refuses the empty pattern, which every text has.
        guard let expression = try? NSRegularExpression(pattern: pattern.isEmpty ? "^" : pattern)
        else { return nil }
        self.pattern = pattern
        self.expression = expression
    }

    /// Looks for the pattern anywhere in a text.
    func look(in text: String) -> Outcome {
        let unitCount = text.utf16.count
        let reportCountMax = unitCount + Self.spareReportCount
        let end = ContinuousClock.now + Self.timeMax
        var reportCount = 0
        var outcome = Outcome.notFound
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: unitCount)
        ) { match, flags, stop in
            if match != nil {
                outcome = .found
                stop.pointee = true
            } else if flags.contains(.internalError) {
                // A search that was stopped ends with this, too.
                if outcome == .notFound { outcome = .tooMuchMemory }
            } else if flags.contains(.progress) {
                reportCount += 1
                let isLate =
                    reportCount % Self.reportsPerLookAtClock == 0 && ContinuousClock.now > end
                guard reportCount > reportCountMax || isLate else { return }
                outcome = .undecided
                stop.pointee = true
            }
        }
        return outcome
    }
}
