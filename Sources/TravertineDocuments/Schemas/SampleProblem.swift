/// Values of samples that an import refuses, or takes as something else, in one field.
public struct SampleProblem: Sendable, Hashable, CustomStringConvertible {
    /// The names that lead to the field, with points between.
    public let path: String
    /// What the values are, and what can be done about them.
    public let reason: String
    /// Whether an import refuses documents with them.
    public let isRefused: Bool
    /// How many there are.
    public internal(set) var count: Int
    /// The number of the first document that has one, from 1.
    public let firstPosition: Int

    /// "seen: a timestamp, which no property holds: write it as a date; 3 times, first in document
    /// 2".
    public var description: String {
        "\(path.isEmpty ? "the document" : path): \(reason); \(count) "
            + "\(count == 1 ? "time" : "times, first") in document \(firstPosition)"
    }
}
