import TestSupport

extension SeededRandom {
    /// Texts with empty, long, non-ASCII ones and zeros among them.
    mutating func text() -> String {
        switch below(10) {
        case 0: ""
        case 1: String(repeating: "ab\u{0}", count: below(100))
        case 2: "Ærøskøbing \(below(50)) 東京"
        case 3: String(repeating: "long ", count: below(200))
        default: "name \(below(60))"
        }
    }
}
