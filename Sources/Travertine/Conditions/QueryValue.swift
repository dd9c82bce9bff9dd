import TravertineStore

/// A value in the general evaluation of conditions, where operands may have different types. Bytes
/// are valid during the test.
///
/// What is compared often, a property with a constant of the same type, has separate tests that
/// make none of these.
enum QueryValue {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(Decimal128)
    case string(UnsafeRawBufferPointer)
    case data(UnsafeRawBufferPointer)
    /// Seconds, as dates are stored.
    case date(Double)
    /// An object id or a UUID, whose lengths differ.
    case identifier(UnsafeRawBufferPointer)
    case object(type: UInt32, key: UInt64)
    /// A list or dictionary of a value of any type.
    case collection(AnyRealmValue)
    /// What is equal to nothing, itself included: an object of another realm or of none.
    case foreign

    /// A stored value of a declared type; `storage` is where a collection in it is.
    ///
    /// - Parameter target: the number of the type that links lead to which don't name it.
    init(
        _ raw: _RawValue, _ type: PropertyType, target: UInt32 = 0,
        at storage: CollectionStorage? = nil
    ) {
        switch raw {
        case .null: self = .null
        case .word(let word):
            switch type {
            case .bool: self = .bool(word != 0)
            case .double: self = .double(Double(bitPattern: UInt64(bitPattern: word)))
            case .date: self = .date(Double(bitPattern: UInt64(bitPattern: word)))
            case .float:
                self = .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: word))))
            case .object, .linkingObjects:
                self = .object(type: target, key: UInt64(bitPattern: word))
            default: self = .int(word)
            }
        case .bytes(let bytes):
            switch type {
            case .string: self = .string(bytes)
            case .data: self = .data(bytes)
            case .decimal128:
                self = bytes.count == 16 ? .decimal(Decimal128(stored: bytes)) : .null
            case .objectId, .UUID: self = .identifier(bytes)
            default: self.init(mixed: bytes, at: storage)
            }
        }
    }

    /// A stored value of any type.
    private init(mixed bytes: UnsafeRawBufferPointer, at storage: CollectionStorage?) {
        guard let tag = bytes.first else {
            self = .null
            return
        }
        switch MixedCode.reference(in: bytes) {
        case .object(let type, let key)?: self = .object(type: type, key: key)
        case .collection?:
            self = storage.map { .collection(MixedCode.decode(bytes, at: $0)) } ?? .foreign
        case nil:
            guard let type = PropertyType(rawValue: Int(tag) - 1), type != .any else {
                self = .foreign
                return
            }
            let value = UnsafeRawBufferPointer(rebasing: bytes[1...])
            if type.shape == .word, value.count == 8 {
                let word = Int64(littleEndian: value.loadUnaligned(as: Int64.self))
                self.init(.word(word), type)
            } else if type.shape != .word {
                self.init(.bytes(value), type)
            } else {
                self = .foreign
            }
        }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The bytes of a text that options apply to, and whether it is a string.
    var text: (bytes: UnsafeRawBufferPointer, isString: Bool)? {
        switch self {
        case .string(let bytes): (bytes, true)
        case .data(let bytes): (bytes, false)
        default: nil
        }
    }
}

// MARK: - Comparing

extension QueryValue {
    /// Whether two values compare so (Q2 to Q6).
    ///
    /// - Parameter countsBools: whether a bool is the number 0 or 1, as where it is declared.
    func compares(
        _ operation: Comparison.Operation, to other: QueryValue, countsBools: Bool = false
    ) -> Bool {
        if isNull || other.isNull {
            return isNull && other.isNull ? operation.holdsForNil : operation == .notEqual
        }
        switch operation {
        case .equal: return isEqual(to: other, countsBools)
        case .notEqual: return !isEqual(to: other, countsBools)
        default:
            guard let order = order(to: other, countsBools) else { return false }
            return operation.holds(order, 0)
        }
    }

    private func isEqual(to other: QueryValue, _ countsBools: Bool) -> Bool {
        switch (self, other) {
        case (.bool(let left), .bool(let right)): left == right
        case (.identifier(let left), .identifier(let right)): left.isSame(as: right)
        case (.object(let type, let key), .object(let otherType, let otherKey)):
            type == otherType && key == otherKey
        case (.collection(let left), .collection(let right)):
            left.isEqualInConditions(to: right)
        default: order(to: other, countsBools) == 0
        }
    }

    /// Less than 0, 0, or more than 0; nil where there is no order between the two.
    func order(to other: QueryValue, _ countsBools: Bool = false) -> Int? {
        switch (self, other) {
        case (.string(let left), .string(let right)), (.data(let left), .data(let right)):
            return left.order(to: right)
        case (.identifier(let left), .identifier(let right)):
            return left.count == right.count ? left.order(to: right) : nil
        case (.date(let left), .date(let right)): return Self.order(left, right)
        case (.bool(let value), _) where countsBools:
            return QueryValue.int(value ? 1 : 0).order(to: other, countsBools)
        case (_, .bool(let value)) where countsBools:
            return order(to: .int(value ? 1 : 0), countsBools)
        default: return numericOrder(to: other)
        }
    }

    private func numericOrder(to other: QueryValue) -> Int? {
        switch (self, other) {
        case (.int(let left), .int(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)): return Self.order(left, right)
        case (.int(let left), .double(let right)): return Self.order(left, right)
        case (.double(let left), .int(let right)): return Self.order(right, left).map { -$0 }
        case (.decimal(let left), .decimal(let right)): return Self.order(left, right)
        case (.decimal(let left), .int(let right)):
            return Self.order(left, Decimal128(right))
        case (.int(let left), .decimal(let right)): return Self.order(Decimal128(left), right)
        case (.decimal(let left), .double(let right)): return Self.order(left, right)
        case (.double(let left), .decimal(let right)): return Self.order(right, left).map { -$0 }
        default: return nil
        }
    }

    private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int? {
        left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    }

    private static func order(_ left: Decimal128, _ right: Decimal128) -> Int? {
        if left.isNaN || right.isNaN { return nil }
        return left < right ? -1 : left == right ? 0 : 1
    }

    /// Exact: an integer need not be a double.
    static func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        // 2⁶³ is a double, and Int64.max is none.
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = right.rounded(.towardZero)
        let integer = Int64(whole)
        if left != integer { return left < integer ? -1 : 1 }
        return whole < right ? -1 : whole > right ? 1 : 0
    }

    /// A double has up to 1,074 binary places and a decimal 34 digits: where the nearest decimal is
    /// equal, the double that is nearest to the decimal decides, and then both are called equal.
    private static func order(_ left: Decimal128, _ right: Double) -> Int? {
        order(left, Decimal128(right))
    }
}

extension AnyRealmValue {
    /// Whether conditions call two values equal: numbers by their values, NaN to nothing; lists and
    /// dictionaries element by element (Q6).
    fileprivate func isEqualInConditions(to other: AnyRealmValue, depth: Int = 1) -> Bool {
        if depth > MixedCode.depthMax { return false }
        switch (self, other) {
        case (.list(let left), .list(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy {
                    $0.isEqualInConditions(to: $1, depth: depth + 1)
                }
        case (.dictionary(let left), .dictionary(let right)):
            return left.count == right.count
                && left.keys.allSatisfy { key in
                    guard let first = left[key], let second = right[key] else { return false }
                    return first.isEqualInConditions(to: second, depth: depth + 1)
                }
        case (.object(let left), .object(let right)): return left.isSame(as: right)
        case (.list, _), (.dictionary, _), (_, .list), (_, .dictionary): return false
        default:
            return OwnedValue(plain: self).withValue { left in
                OwnedValue(plain: other).withValue { left.compares(.equal, to: $0) }
            }
        }
    }
}

extension Comparison.Operation {
    /// Whether nil compares so with nil: it is equal to itself, and so at least and at most itself.
    /// With a value it is only not equal.
    var holdsForNil: Bool {
        switch self {
        case .equal, .lessOrEqual, .greaterOrEqual, .isIn: true
        default: false
        }
    }

    /// Whether two values compare so.
    @inline(__always)
    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .equal, .isIn: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .isBetween, .contains, .beginsWith, .endsWith, .like: false
        }
    }

    /// Whether the comparison is one of texts.
    var isOfTexts: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .like: true
        default: false
        }
    }

    var isOfOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .isBetween: true
        default: false
        }
    }

    /// The operation with its sides exchanged, of the six of values.
    var exchanged: Comparison.Operation {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
