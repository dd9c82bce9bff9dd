import TravertineStore

/// What a message says of a name that nothing has: the names that are like it, or else all.
package enum NearNames {
    private static let nearCountMax = 3
    private static let listedCountMax = 20
    /// No name of a property is as long; the comparison takes time by the product of both lengths.
    private static let characterCountMax = 100

    /// " Did you mean 'name'?", or " Its properties are age, name."
    package static func advice(on name: String, among names: [String]) -> String {
        let near = near(name, among: names)
        if !near.isEmpty {
            return " Did you mean " + near.map { "'\($0)'" }.joined(separator: " or ") + "?"
        }
        if names.isEmpty { return "" }
        let listed = names.prefix(listedCountMax).joined(separator: ", ")
        return " Its properties are \(listed)\(names.count > listedCountMax ? ", …" : "")."
    }

    /// Stops because a type has no property of a name.
    static func stopForProperty(
        _ name: String, of typeName: String, _ names: @autoclosure () -> [String]
    ) -> Never {
        misuse("\(typeName) has no property \"\(name)\"." + advice(on: name, among: names()))
    }

    /// The names with few letters that differ, the nearest first.
    package static func near(_ name: String, among names: [String]) -> [String] {
        let wanted = Array(name.lowercased())
        guard !wanted.isEmpty, wanted.count <= characterCountMax else { return [] }
        let limit = wanted.count <= 3 ? 1 : max(2, wanted.count / 3)
        var found: [(distance: Int, index: Int)] = []
        for (index, candidate) in names.enumerated() {
            let other = Array(candidate.lowercased())
            let distance = distance(wanted, other)
            // A name that shares nothing but its length is not like the other.
            if distance <= limit, distance < other.count { found.append((distance, index)) }
        }
        return found.sorted { $0 < $1 }.prefix(nearCountMax).map { names[$0.index] }
    }

    /// How many letters must be added, left out, replaced, or swapped with the next one.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            before = last
            last = current
        }
        return last[right.count]
    }
}
