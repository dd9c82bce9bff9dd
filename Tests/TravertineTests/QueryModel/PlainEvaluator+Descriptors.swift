import RealmSwift

@testable import Travertine

extension PlainEvaluator {
    /// What a descriptor makes of found objects.
    func arranged(_ keys: [WorldKey], _ descriptor: ResultsDescriptor) throws -> [WorldKey] {
        switch descriptor {
        case .sorted(let descriptors):
            let rows = try keys.enumerated().map { offset, key in
                (offset, key, try descriptors.map { try single($0.keyPath, of: key) })
            }
            return rows.sorted { left, right in
                for (index, descriptor) in descriptors.enumerated() {
                    let order = Self.sortingOrder(left.2[index], right.2[index])
                    if order != 0 { return (order < 0) == descriptor.ascending }
                }
                return left.0 < right.0
            }.map(\.1)
        case .distinct(let names):
            var seen: [[WorldValue]] = []
            return try keys.filter { key in
                let values = try names.map { try single($0, of: key) }
                let isRepeated = seen.contains { other in
                    zip(values, other).allSatisfy { Self.sortingOrder($0, $1) == 0 }
                }
                if !isRepeated { seen.append(values) }
                return !isRepeated
            }
        case .limited(let offset, let count):
            return Array(keys.dropFirst(offset).prefix(count))
        case .filtered(let predicate): return try keys.filter { try holds(predicate, for: $0) }
        }
    }

    private func single(_ name: String, of key: WorldKey) throws -> WorldValue {
        let path = PropertyPath(names: name.split(separator: "."))
        let values = try values(
            of: path, at: Item(.link(key), .declared(.object), target: key.type))
        guard values.count == 1 else { throw Unclear("sorting by several values") }
        return values[0].value
    }

    /// nil, then NaN, then numbers; strings and bytes by bytes; false before true.
    private static func sortingOrder(_ left: WorldValue, _ right: WorldValue) -> Int {
        func rank(_ value: WorldValue) -> Int {
            if value.isNull { return 0 }
            if let number = PlainNumber(value), number.isNaN { return 1 }
            return 2
        }
        if rank(left) != rank(right) { return rank(left) < rank(right) ? -1 : 1 }
        switch (left, right) {
        case (.bool(let first), .bool(let second)): return first == second ? 0 : second ? -1 : 1
        case (.link(let first), .link(let second)):
            return first < second ? -1 : second < first ? 1 : 0
        default: return order(left, right) ?? 0
        }
    }
}
