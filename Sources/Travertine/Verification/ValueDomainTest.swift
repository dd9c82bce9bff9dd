/// Tests stored values against the domain of a property's type.
struct ValueDomainTest {
    private let cases: Set<RawConstant>
    /// The numbers of an integer type; nil for an enum.
    private let range: ClosedRange<Int64>?

    /// Nil where there is a value for everything.
    init?(_ domain: ValueDomain) {
        switch domain {
        case .any: return nil
        case .cases(let cases):
            self.cases = Set(cases)
            range = nil
        case .range(let range):
            cases = []
            self.range = range
        }
    }

    /// Whether the type has a value for a stored one.
    func contains(_ value: RawConstant) -> Bool {
        guard let range else { return cases.contains(value) }
        guard case .word(let word) = value else { return false }
        return range.contains(word)
    }

    /// What a stored value without one lacks, as the end of a sentence.
    var lack: String {
        range == nil ? "no case of its enum has" : "its type of integers can't hold"
    }

    var advice: String { range == nil ? ObjectAdvice.unknownCase : ObjectAdvice.unfitNumber }
}
