import TravertineStore

/// Makes the conditions that compare a path's values with constants of the same type: those that
/// have fast tests, and that indexes can help with. Nil where the general evaluation must do.
struct ConstantComparison {
    private let reader: PropertyReader
    private let session: RealmSession
    private var type: PropertyType { reader.type.type }

    init(_ reader: PropertyReader, _ session: RealmSession) {
        self.reader = reader
        self.session = session
    }

    /// Comparing with one constant, which has been adapted to the type of the path.
    func condition(
        _ operation: Comparison.Operation, _ value: AnyRealmValue, _ options: StringOptions
    ) -> Condition? {
        if operation.isOfTexts || !options.isEmpty && value.propertyType == .string {
            return textCondition(operation, value, options)
        }
        if case .none = value {
            return .comparison(reader, operation, type == .any ? .bytes([]) : .null)
        }
        if type == .int, let whole = wholeNumber(operation, value) {
            return .comparison(reader, whole.operation, .word(whole.number))
        }
        if type == .any { return mixedCondition(operation, value) }
        return constant(value).map { .comparison(reader, operation, $0) }
    }

    /// Comparing with the constants of `IN` and `BETWEEN`.
    func condition(
        _ operation: Comparison.Operation, _ values: [AnyRealmValue], _ options: StringOptions
    ) -> Condition? {
        if operation == .isBetween { return rangeCondition(values) }
        if !options.isEmpty { return foldedCondition(values, options) }
        var constants: [RawConstant] = []
        for value in values {
            switch value {
            case .none: constants += type == .any ? [.null, .bytes([])] : [.null]
            case .list, .dictionary: return nil
            default:
                if type == .any {
                    // What is equal to nothing is left out.
                    if let form = MixedCode.equalForms(value, session).first {
                        constants.append(.bytes(form))
                    }
                } else if type == .int {
                    // What is no integer is equal to none.
                    if let whole = wholeNumber(.equal, value) {
                        constants.append(.word(whole.number))
                    } else if !isNumber(value) {
                        return nil
                    }
                } else if let constant = constant(value) {
                    constants.append(constant)
                } else if !isForeign(value), !isNumber(value) {
                    return nil
                }
            }
        }
        return .isIn(reader, constants)
    }

    private func isNumber(_ value: AnyRealmValue) -> Bool {
        value.propertyType?.isNumeric ?? false
    }

    private func isForeign(_ value: AnyRealmValue) -> Bool {
        guard case .object(let object) = value else { return false }
        return session.identity(of: object) == nil
    }

    private func rangeCondition(_ values: [AnyRealmValue]) -> Condition? {
        guard values.count == 2, type != .any else { return nil }
        if type == .int {
            guard let lower = wholeNumber(.greaterOrEqual, values[0]),
                let upper = wholeNumber(.lessOrEqual, values[1])
            else { return nil }
            return .isBetween(reader, .word(lower.number), .word(upper.number))
        }
        guard let lower = constant(values[0]), let upper = constant(values[1]) else { return nil }
        return .isBetween(reader, lower, upper)
    }

    // MARK: Texts

    private func textCondition(
        _ operation: Comparison.Operation, _ value: AnyRealmValue, _ options: StringOptions
    ) -> Condition? {
        switch value {
        case .string(let text) where type == .string || type == .any:
            if operation == .notEqual {
                // nil is not equal to a text, and of values of any type what is none.
                return type == .any
                    ? nil : .text(reader, .notEqual, text, options)
            }
            return type == .string
                ? .text(reader, operation, text, options)
                : .other(TextTest(reader, operation, text, options))
        case .data(let data) where options.isEmpty && (type == .data || type == .any):
            return .other(TextTest(reader, operation, data: Array(data)))
        case .none where operation.isOfTexts: return .constant(false)
        default: return nil
        }
    }

    private func foldedCondition(
        _ values: [AnyRealmValue], _ options: StringOptions
    ) -> Condition? {
        guard type == .string else { return nil }
        var texts: [String] = []
        for case .string(let text) in values { texts.append(text) }
        let hasNull = values.contains(.none)
        guard texts.count + (hasNull ? 1 : 0) <= values.count else { return nil }
        return .other(TextMembershipTest(reader, texts, hasNull: hasNull, options))
    }

    // MARK: Values

    /// A comparison of integers that is the same as that with a number; nil if there is none.
    private func wholeNumber(
        _ operation: Comparison.Operation, _ value: AnyRealmValue
    ) -> (operation: Comparison.Operation, number: Int64)? {
        switch value {
        case .int(let number): return (operation, Int64(number))
        case .float(let number): return wholeNumber(operation, Double(number))
        case .double(let number): return wholeNumber(operation, number)
        case .decimal128(let number):
            return Int64(exactly: number).map { (operation, $0) }
        default: return nil
        }
    }

    private func wholeNumber(
        _ operation: Comparison.Operation, _ number: Double
    ) -> (operation: Comparison.Operation, number: Int64)? {
        if let whole = Int64(exactly: number) { return (operation, whole) }
        switch operation {
        case .less, .lessOrEqual:
            return Int64(exactly: number.rounded(.down)).map { (.lessOrEqual, $0) }
        case .greater, .greaterOrEqual:
            return Int64(exactly: number.rounded(.up)).map { (.greaterOrEqual, $0) }
        default: return nil
        }
    }

    /// The stored form of a constant; nil for one that the property can't store exactly, and for
    /// objects that no realm of the store has.
    private func constant(_ value: AnyRealmValue) -> RawConstant? {
        switch (type, value) {
        case (.double, .int(let number)):
            return Double(exactly: number).map { RawConstant($0) }
        case (.object, .object(let object)):
            guard let (type, key) = session.identity(of: object) else { return nil }
            if !reader.isVarying, type != reader.target?.stored.number { return nil }
            return reader.isVarying
                ? .bytes(MixedCode.encode(objectOfType: type, key: key))
                : .word(Int64(bitPattern: key))
        case (_, .decimal128(let number)) where number.isNaN: return nil
        // Without a cast for the type that is compared most beside numbers.
        case (.string, .string(let text)): return .bytes(Array(text.utf8))
        default:
            guard value.propertyType == type else { return nil }
            return value.plain.flatMap { RawConstant($0, of: type) }
        }
    }

    private func mixedCondition(
        _ operation: Comparison.Operation, _ value: AnyRealmValue
    ) -> Condition? {
        guard value.propertyType != nil, operation == .equal || operation == .notEqual else {
            return nil
        }
        guard let form = MixedCode.equalForms(value, session).first else {
            return operation == .equal ? .constant(false) : nil
        }
        return .comparison(reader, operation, .bytes(form))
    }
}

extension RawConstant {
    fileprivate init(_ value: Double) { self = value._withRaw { RawConstant($0) } }
}

extension MixedCode {
    /// The normal stored forms of values that conditions call equal to one that is no collection,
    /// its own first: of a number those of the other types too (Q6). None for NaN and for an object
    /// that no realm of a session's store has.
    static func equalForms(_ value: AnyRealmValue, _ session: RealmSession) -> [[UInt8]] {
        func normal(_ value: AnyRealmValue) -> [UInt8]? {
            guard let bytes = encode(plain: value) else { return nil }
            return bytes.withUnsafeBytes { Self.normal($0) } ?? bytes
        }
        var equal: [AnyRealmValue] = []
        switch value {
        case .object(let object):
            guard let (type, key) = session.identity(of: object) else { return [] }
            return [encode(objectOfType: type, key: key)]
        case .int(let number):
            equal = [.int(number), .decimal128(Decimal128(number))]
            if let double = Double(exactly: number) { equal.append(.double(double)) }
            if let float = Float(exactly: number) { equal.append(.float(float)) }
        case .float(let number):
            if number.isNaN { return [] }
            equal = [.float(number), .double(Double(number))]
            equal.append(.decimal128(Decimal128(Double(number))))
            if let whole = Int(exactly: number) { equal.append(.int(whole)) }
        case .double(let number):
            if number.isNaN { return [] }
            equal = [.double(number), .decimal128(Decimal128(number))]
            if let whole = Int(exactly: number) { equal.append(.int(whole)) }
            let float = Float(number)
            if Double(float) == number { equal.append(.float(float)) }
        case .decimal128(let number):
            if number.isNaN { return [] }
            equal = [.decimal128(number)]
            if let whole = Int(exactly: number) { equal.append(.int(whole)) }
            let double = number.doubleValue
            if Decimal128(double) == number { equal.append(.double(double)) }
            let float = Float(double)
            if Decimal128(Double(float)) == number { equal.append(.float(float)) }
        case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: return []
        default: equal = [value]
        }
        return equal.compactMap(normal)
    }

    /// The normal stored forms of values that conditions call equal to one with these bytes.
    static func equalForms(_ bytes: [UInt8], _ session: RealmSession) -> [[UInt8]] {
        let value = bytes.withUnsafeBytes {
            reference(in: $0) == nil ? AnyRealmValue(mixed: $0) : nil
        }
        guard let value, value.propertyType?.isNumeric ?? false else { return [bytes] }
        return equalForms(value, session)
    }
}
