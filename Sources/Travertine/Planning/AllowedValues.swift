/// What a condition allows a property to be, where an index can find that: of the values together
/// each may be one of them or lie in one of the ranges.
struct AllowedValues {
    enum Item {
        /// A value, or nil.
        case value(RawConstant)
        /// Values from one to another; never nil or NaN. Without bounds all others.
        case range(lower: Bound?, upper: Bound?)
        /// Every value but nil.
        case notNull
        /// Texts that begin with these bytes.
        case beginning([UInt8])
        /// Of a property of any type: every value of one type.
        case type(PropertyType)
        /// Of a property of any type: from one value to another of the same type.
        case typedRange(PropertyType, lower: Bound?, upper: Bound?)
    }

    struct Bound {
        var constant: RawConstant
        var isIncluded: Bool
    }

    var items: [Item]
    /// Whether these are all that the condition allows and nothing else, cut entries aside.
    var isExact = true

    /// Whether each item is one value.
    var areValues: Bool {
        items.allSatisfy {
            if case .value = $0 { return true }
            return false
        }
    }

    /// Whether nil is among them.
    var hasNull: Bool {
        items.contains {
            if case .value(.null) = $0 { return true }
            return false
        }
    }

    /// The values that a condition on a property of a type allows; nil if an index can't find them.
    init?(_ condition: Condition, _ type: PropertyType) {
        if type == .object || type == .linkingObjects { return nil }
        switch condition {
        case .comparison(_, let operation, let constant):
            self.init(operation, constant, type)
        case .isIn(_, let constants):
            self.init(items: [])
            items.reserveCapacity(constants.count)
            for constant in constants {
                if case .word = constant, type.shape == .word, !Self.isNaN(constant, type) {
                    items.append(.value(constant))
                    continue
                }
                guard let one = AllowedValues(.equal, constant, type) else { return nil }
                items += one.items
                isExact = isExact && one.isExact
            }
        case .isBetween(_, let least, let greatest):
            self.init(between: least, greatest, type)
        case .text(_, let operation, let text, let options):
            guard options == [], type == .string else { return nil }
            let bytes = Array(text.utf8)
            switch operation {
            case .equal: self.init(items: [.value(.bytes(bytes))])
            case .beginsWith: self.init(items: [.beginning(bytes)])
            case .like:
                let beginning = Array(bytes.prefix { ![0x2A, 0x3F, 0x5C].contains($0) })
                if beginning.isEmpty { return nil }
                self.init(items: [.beginning(beginning)], isExact: false)
            default: return nil
            }
        default: return nil
        }
    }

    private init(items: [Item], isExact: Bool = true) {
        self.items = items
        self.isExact = isExact
    }

    /// Adds what another condition allows, of which one must hold.
    mutating func formUnion(_ other: AllowedValues) {
        items += other.items
        isExact = isExact && other.isExact
    }

    /// The values that are left if a range of another condition applies too; nil unless the two are
    /// ranges with one bound each, from different sides.
    func narrowed(by other: AllowedValues) -> AllowedValues? {
        guard items.count == 1, other.items.count == 1 else { return nil }
        let isExact = isExact && other.isExact
        switch (items[0], other.items[0]) {
        case (.range(let lower?, nil), .range(nil, let upper?)),
            (.range(nil, let upper?), .range(let lower?, nil)):
            return AllowedValues(items: [.range(lower: lower, upper: upper)], isExact: isExact)
        case (.typedRange(let type, let lower?, nil), .typedRange(let other, nil, let upper?)),
            (.typedRange(let type, nil, let upper?), .typedRange(let other, let lower?, nil)):
            return type == other
                ? AllowedValues(
                    items: [.typedRange(type, lower: lower, upper: upper)], isExact: isExact) : nil
        default: return nil
        }
    }
}

extension AllowedValues {
    private init?(
        _ operation: Comparison.Operation, _ constant: RawConstant, _ type: PropertyType
    ) {
        switch constant {
        case .null:
            switch operation {
            case .equal, .lessOrEqual, .greaterOrEqual:
                self.init(items: [.value(.null)], isExact: type != .any)
            case .less, .greater: self.init(items: [])
            case .notEqual where type != .any: self.init(items: [.notNull])
            default: return nil
            }
            return
        case .word: guard type.shape == .word else { return nil }
        case .bytes: guard type.shape != .word else { return nil }
        }
        // NaN is unequal to everything, and nothing else.
        if operation != .notEqual, Self.isNaN(constant, type) {
            self.init(items: [])
            return
        }
        if type == .any {
            self.init(anyValue: operation, constant)
            return
        }
        let bound = Bound(constant: constant, isIncluded: false)
        let included = Bound(constant: constant, isIncluded: true)
        switch operation {
        case .equal: self.init(items: [.value(constant)])
        case .less: self.init(items: [.range(lower: nil, upper: bound)])
        case .lessOrEqual: self.init(items: [.range(lower: nil, upper: included)])
        case .greater: self.init(items: [.range(lower: bound, upper: nil)])
        case .greaterOrEqual: self.init(items: [.range(lower: included, upper: nil)])
        default: return nil
        }
    }

    private init?(between least: RawConstant, _ greatest: RawConstant, _ type: PropertyType) {
        guard let lower = AllowedValues(.greaterOrEqual, least, type),
            let upper = AllowedValues(.lessOrEqual, greatest, type)
        else { return nil }
        if least == .null || greatest == .null || lower.items.isEmpty || upper.items.isEmpty {
            self.init(items: [])
            return
        }
        guard let both = lower.narrowed(by: upper) else { return nil }
        self = both
    }

    // MARK: Values of any type

    /// Never exact: what is equal to what among values of any type the rows decide.
    private init?(anyValue operation: Comparison.Operation, _ constant: RawConstant) {
        guard case .bytes(let bytes) = constant, let tag = bytes.first,
            let type = PropertyType(rawValue: Int(tag) - 1)
        else { return nil }
        if operation == .equal {
            self.init(items: Self.equalItems(bytes, type), isExact: false)
            return
        }
        // The entries of other types are not in the order of their values.
        guard type == .string || type == .data || type == .UUID || type == .objectId else {
            return nil
        }
        let bound = Bound(
            constant: constant,
            isIncluded: operation == .lessOrEqual || operation == .greaterOrEqual)
        switch operation {
        case .less, .lessOrEqual:
            self.init(items: [.typedRange(type, lower: nil, upper: bound)], isExact: false)
        case .greater, .greaterOrEqual:
            self.init(items: [.typedRange(type, lower: bound, upper: nil)], isExact: false)
        default: return nil
        }
    }

    /// Numbers of all types are equal by value: an integer has one entry of each, and of another
    /// number the decimals are all looked at.
    private static func equalItems(_ bytes: [UInt8], _ type: PropertyType) -> [Item] {
        guard type == .int || type == .float || type == .double || type == .decimal128,
            let value = bytes.withUnsafeBytes({ AnyRealmValue(mixed: $0) })
        else { return [.value(.bytes(bytes))] }
        func item(_ value: AnyRealmValue) -> Item? {
            MixedCode.encode(plain: value).map { .value(.bytes($0)) }
        }
        var items: [Item?]
        switch value {
        case .int(let number): return allItems(ofInteger: number)
        case .double(let number):
            if let integer = Int(exactly: number) { return allItems(ofInteger: integer) }
            items = [item(value), Float(exactly: number).flatMap { item(.float($0)) }]
        case .float(let number):
            if let integer = Int(exactly: number) { return allItems(ofInteger: integer) }
            items = [item(value), item(.double(Double(number)))]
        default: return [.type(.int), .type(.float), .type(.double), .type(.decimal128)]
        }
        items.append(.type(.decimal128))
        return items.compactMap { $0 }
    }

    private static func allItems(ofInteger number: Int) -> [Item] {
        let values: [AnyRealmValue?] = [
            .int(number), Double(exactly: number).map { .double($0) },
            Float(exactly: number).map { .float($0) }, .decimal128(Decimal128(number)),
        ]
        return values.compactMap { value in
            value.flatMap { MixedCode.encode(plain: $0) }.map { .value(.bytes($0)) }
        }
    }

    // MARK: NaN

    static func isNaN(_ constant: RawConstant, _ type: PropertyType) -> Bool {
        switch (constant, type) {
        case (.word(let word), .double), (.word(let word), .date):
            return Double(bitPattern: UInt64(bitPattern: word)).isNaN
        case (.word(let word), .float):
            return Float(bitPattern: UInt32(truncatingIfNeeded: word)).isNaN
        case (.bytes(let bytes), .decimal128) where bytes.count == 16:
            return bytes.withUnsafeBytes { Decimal128(stored: $0).isNaN }
        case (.bytes(let bytes), .any):
            switch bytes.withUnsafeBytes({ AnyRealmValue(mixed: $0) }) {
            case .double(let number): return number.isNaN
            case .float(let number): return number.isNaN
            case .decimal128(let number): return number.isNaN
            default: return false
            }
        default: return false
        }
    }
}
