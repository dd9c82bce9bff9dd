import Foundation

/// Numbers from 0 of which a test tries some, and could try all: calls to a disk, bytes of a file.
///
/// About one of `step` is tried, other ones each time. The distances between them differ, for tests
/// do one thing at even numbers and another at odd ones. With `TRAVERTINE_EXHAUSTIVE=1` in the
/// environment every number is tried: `Tools/test --long calls damage`.
///
/// A test has the number in its messages. `TRAVERTINE_SAMPLE=N` repeats a choice, which is printed.
public struct SampledNumbers: Sequence, IteratorProtocol, Sendable {
    /// Whether tests try all that they could.
    public static let isExhaustive =
        ProcessInfo.processInfo.environment["TRAVERTINE_EXHAUSTIVE"] != nil

    /// What a sample is chosen by: `TRAVERTINE_SAMPLE`, or something else each time, printed.
    public static func seed(for test: String) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["TRAVERTINE_SAMPLE"]
        let seed = given.flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
        if !isExhaustive { print("\(test): TRAVERTINE_SAMPLE=\(seed)") }
        return seed
    }

    /// Some of the seeds, or other arguments, that a test has, and all for `TRAVERTINE_EXHAUSTIVE`.
    public static func some<Element>(
        _ count: Int, of all: some Collection<Element>
    ) -> [Element] {
        isExhaustive ? Array(all) : Array(all.shuffled().prefix(count))
    }

    private let end: Int
    private let step: Int
    private var random: SeededRandom
    private var number: Int

    /// Begins below `step`, and ends before `end`.
    public init(below end: Int = .max, oneOf step: Int, in test: String = #function) {
        self.end = end
        self.step = Self.isExhaustive ? 1 : step
        random = SeededRandom(seed: self.step == 1 ? 0 : Self.seed(for: test))
        number = random.below(self.step)
    }

    /// The next number to try.
    public mutating func next() -> Int? {
        guard number < end else { return nil }
        defer { number += 1 + random.below(2 * step - 1) }
        return number
    }
}
