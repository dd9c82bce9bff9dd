/// A constant that owns its bytes.
struct OwnedValue {
    private let value: QueryValue
    private let text: [UInt8]?
    private let make: (UnsafeRawBufferPointer) -> QueryValue

    /// The value, if it needs no bytes; else nil.
    var plain: QueryValue? { text == nil ? value : nil }

    init(_ value: QueryValue) {
        self.value = value
        text = nil
        make = { _ in .null }
    }

    init(_ bytes: [UInt8], _ make: @escaping (UnsafeRawBufferPointer) -> QueryValue) {
        value = .null
        text = bytes
        self.make = make
    }

    /// The value as conditions of a session compare it; `foreign` for an object that no realm of
    /// the store has.
    init(_ constant: AnyRealmValue, _ session: RealmSession) {
        guard case .object(let object) = constant else {
            self.init(plain: constant)
            return
        }
        self.init(
            session.identity(of: object).map { .object(type: $0.type, key: $0.key) } ?? .foreign)
    }

    /// A value that is no object.
    init(plain constant: AnyRealmValue) {
        switch constant {
        case .none: self.init(.null)
        case .bool(let value): self.init(.bool(value))
        case .int(let value): self.init(.int(Int64(value)))
        case .float(let value): self.init(.double(Double(value)))
        case .double(let value): self.init(.double(value))
        case .decimal128(let value): self.init(.decimal(value))
        case .string(let value): self.init(Array(value.utf8)) { .string($0) }
        case .data(let value): self.init(Array(value)) { .data($0) }
        case .date(let value): self.init(value._withRaw { QueryValue($0, .date) })
        case .objectId(let value):
            self.init(value._withRaw { RawConstant($0).bytes }) { .identifier($0) }
        case .uuid(let value):
            self.init(value._withRaw { RawConstant($0).bytes }) { .identifier($0) }
        case .object: self.init(.foreign)
        case .list, .dictionary: self.init(.collection(constant))
        }
    }

    func withValue<Result>(_ body: (QueryValue) throws -> Result) rethrows -> Result {
        guard let text else { return try body(value) }
        return try text.withUnsafeBytes { try body(make($0)) }
    }
}

extension RawConstant {
    fileprivate var bytes: [UInt8] {
        if case .bytes(let bytes) = self { bytes } else { [] }
    }
}
