import OrderedIndex
import TravertineStore

/// The entries of one index that conditions on its first properties allow.
struct IndexRanges {
    let index: SearchableIndex
    /// In key order, none of which overlaps another.
    private(set) var ranges: [KeyRange]
    /// What each of the first properties may be.
    let values: [AllowedValues]
    /// The keys of the objects in ascending order, each once, in place of ranges: where values of
    /// the primary key say them.
    private(set) var objectKeys: [UInt64]?
    /// Whether all objects of the entries have such values, and no others have.
    private(set) var isExact: Bool

    /// The most ranges whose entries are estimated one by one; of more a part is.
    private static let estimatedMax = 16

    /// - Parameters:
    ///   - values: for each of the first properties what it may be; all but the last are values.
    init(_ index: SearchableIndex, _ values: [AllowedValues]) {
        self.index = index
        self.values = values
        isExact = values.allSatisfy(\.isExact)
        ranges = []
        objectKeys = Self.objectKeys(index, values)
        if objectKeys != nil { return }
        var prefixes: [[UInt8]] = [[]]
        for (position, allowed) in values.enumerated() {
            let isLast = position == values.count - 1
            var longer: [[UInt8]] = []
            for prefix in prefixes {
                for item in allowed.items {
                    if isLast {
                        if let range = range(item, at: position, after: prefix) {
                            ranges.append(range)
                        }
                    } else if case .value(let constant) = item {
                        let (bytes, isCut) = entry(constant, at: position, after: prefix)
                        if isCut { isExact = false }
                        longer.append(bytes)
                    }
                }
            }
            prefixes = longer
        }
        ranges = KeyRange.merged(ranges)
    }

    /// The keys that values of the primary key are; nil if they are ranges, or another index's.
    private static func objectKeys(
        _ index: SearchableIndex, _ values: [AllowedValues]
    ) -> [UInt64]? {
        guard index.kind == .rows, values.count == 1 else { return nil }
        var keys: [UInt64] = []
        keys.reserveCapacity(values[0].items.count)
        for item in values[0].items {
            switch item {
            case .value(.word(let word)):
                keys.append(StoredObjectType.objectKey(ofPrimaryKey: word))
            case .value(.null): continue
            default: return nil
            }
        }
        SortedKeys.normalise(&keys)
        return keys
    }

    /// Whether they have no entries.
    var isEmpty: Bool { objectKeys?.isEmpty ?? ranges.isEmpty }

    /// Whether the objects are found in the order of their keys.
    var isOrdered: Bool { index.kind == .rows || ranges.count < 2 && ranges.allSatisfy(\.isPoint) }

    /// About how many entries there are.
    func count(_ access: ReadAccess) throws(StoreError) -> KeyCount {
        if isEmpty { return KeyCount(count: 0, isExact: true) }
        if let objectKeys { return KeyCount(count: objectKeys.count, isExact: false) }
        let step = max(1, ranges.count / Self.estimatedMax)
        var total = 0
        var estimatedCount = 0
        var isExact = step == 1
        for position in stride(from: 0, to: ranges.count, by: step) {
            let found = try Self.count(ranges[position], in: index.keyspace, access)
            total += found.count
            estimatedCount += 1
            isExact = isExact && found.isExact
        }
        return KeyCount(
            count: estimatedCount == ranges.count
                ? total : total * ranges.count / max(1, estimatedCount),
            isExact: isExact && estimatedCount == ranges.count)
    }

    static func count(
        _ range: KeyRange, in keyspace: KeyspaceID, _ access: ReadAccess
    ) throws(StoreError) -> KeyCount {
        try range.lower.withBytes { (lower) throws(StoreError) in
            guard let upper = range.upper else {
                return try access.estimatedCount(from: lower, to: nil, in: keyspace)
            }
            return try upper.withBytes { (upper) throws(StoreError) in
                try access.estimatedCount(from: lower, to: upper, in: keyspace)
            }
        }
    }

    // MARK: Bounds

    /// What the entries of a value begin with, and whether it has only the beginning of the value.
    private func entry(
        _ constant: RawConstant, at position: Int, after prefix: [UInt8]
    ) -> (bytes: [UInt8], isCut: Bool) {
        var key = IndexKey()
        constant.withRaw { index.append($0, at: position, to: &key) }
        return (prefix.isEmpty ? key.bytes : prefix + key.bytes, key.isCut)
    }

    private mutating func range(
        _ item: AllowedValues.Item, at position: Int, after prefix: [UInt8]
    ) -> KeyRange? {
        let isLastProperty = position == index.slots.count - 1
        switch item {
        case .value(let constant):
            // The primary key that rows are stored by is never nil.
            if index.kind == .rows, constant == .null { return nil }
            let (bytes, isCut) = entry(constant, at: position, after: prefix)
            if isCut { isExact = false }
            let isOrdered = index.kind == .values || index.kind == .rows
            return .beginning(with: bytes, isPoint: isLastProperty && !isCut && isOrdered)
        case .notNull:
            return index.kind == .rows
                ? KeyRange(lower: [], upper: nil) : .beginning(with: prefix + [1])
        case .beginning(let text):
            let (bytes, isCut) = entry(.bytes(text), at: position, after: prefix)
            if isCut { isExact = false }
            return .beginning(with: isCut ? bytes : Array(bytes.dropLast(2)))
        case .type(let type):
            return .beginning(with: prefix + [1, MixedCode.tag(type)])
        case .range(let lower, let upper):
            if index.kind == .rows {
                return range(
                    lower, upper, at: position, after: prefix, least: [], end: nil)
            }
            return range(
                lower, upper, at: position, after: prefix,
                least: prefix + [1] + Self.least(of: index.types[position]), end: prefix + [2])
        case .typedRange(let type, let lower, let upper):
            let tag = MixedCode.tag(type)
            return range(
                lower, upper, at: position, after: prefix, least: prefix + [1, tag],
                end: prefix + [1, tag + 1])
        }
    }

    /// The entry after that of NaN, which is in no range.
    private static func least(of type: PropertyType) -> [UInt8] {
        switch type {
        case .double, .float, .date: [0, 0, 0, 0, 0, 0, 0, 1]
        case .decimal128: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        default: []
        }
    }

    /// The entries between two bounds. Where a bound was cut, the entries that begin like it belong
    /// to the range, whether their values do or not.
    private mutating func range(
        _ lower: AllowedValues.Bound?, _ upper: AllowedValues.Bound?, at position: Int,
        after prefix: [UInt8], least: [UInt8], end: [UInt8]?
    ) -> KeyRange? {
        var range = KeyRange(lower: least, upper: end)
        if let lower {
            let (bytes, isCut) = entry(lower.constant, at: position, after: prefix)
            if isCut { isExact = false }
            if lower.isIncluded || isCut {
                range.lower = bytes
            } else {
                guard let after = KeyRange.successor(of: bytes) else { return nil }
                range.lower = after
            }
        }
        if let upper {
            let (bytes, isCut) = entry(upper.constant, at: position, after: prefix)
            if isCut { isExact = false }
            range.upper = upper.isIncluded || isCut ? KeyRange.successor(of: bytes) : bytes
        }
        return range
    }
}
