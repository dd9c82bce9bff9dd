import PostgreSQLServer

extension SeededRandom {
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
