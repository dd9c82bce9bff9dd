/// A repeatable source of random numbers (SplitMix64): the same seed gives the same sequence.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True in `percent` of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A text of a few characters, those that SQL, JSON and COPY treat specially among them.
    mutating func text() -> String {
        let parts = [
            "a", "b", "'", "\"", "\\", "\t", "\n", "{", "}", ",", "NULL", "é", "🦊", "$1", "",
        ]
        return (0..<below(5)).map { _ in parts[below(parts.count)] }.joined()
    }
}
