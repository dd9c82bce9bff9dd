/// How the values of a stored property become those of a declaration with another type.
///
/// A change that no conversion is for keeps nothing: the declaration is another property.
struct PropertyConversion: Equatable {
    /// What becomes of a value, or of an element.
    enum Element: Equatable {
        /// It stays as it is; a list or dictionary in a value of any type is copied.
        case same
        case intToDouble
        case intToDecimal128
        case floatToDouble
        /// A value of any type with plain data.
        case mixed(PropertyType)
        /// A link that names the type of its object.
        case link
    }

    var element: Element
    /// Whether nil elements go: the new ones can't be nil.
    var dropsNil: Bool
    /// Whether lists and dictionaries in values of any type go: a set holds none.
    var dropsCollections: Bool

    /// Nil if values can't be converted.
    ///
    /// - Parameter varies: whether the declared link can lead to objects of several classes.
    init?(_ property: StoredProperty, _ declared: ClassInfo.Property, varies: Bool) {
        guard let element = Self.element(property, declared, varies),
            Self.keepsPlaces(property.collection, declared.type)
        else { return nil }
        self.element = element
        let isAny = declared.type.type == .any
        dropsNil =
            property.collection != .none && property.isOptional && !declared.type.isOptional
            && !isAny
        dropsCollections =
            property.type == .any && !property.isVarying && property.collection != .set
            && declared.type.collection == .set
    }

    /// Links of a stored type that name the types of their objects from now on.
    static let varying = PropertyConversion(
        element: .link, dropsNil: false, dropsCollections: false)

    /// Values that stay as they are.
    static let unchanged = PropertyConversion(
        element: .same, dropsNil: false, dropsCollections: false)

    private init(element: Element, dropsNil: Bool, dropsCollections: Bool) {
        self.element = element
        self.dropsNil = dropsNil
        self.dropsCollections = dropsCollections
    }

    private static func element(
        _ property: StoredProperty, _ declared: ClassInfo.Property, _ varies: Bool
    ) -> Element? {
        let new = declared.type.type
        if property.isVarying {
            if new == .object { return property.target == declared.target ? .same : nil }
            return new == .any && !property.isOwning ? .same : nil
        }
        switch (property.type, new) {
        case (.object, .object):
            guard property.target == declared.target else { return nil }
            return varies ? .link : .same
        case (.object, .any): return property.isOwning ? nil : .link
        case (.int, .double): return .intToDouble
        case (.int, .decimal128): return .intToDecimal128
        case (.float, .double): return .floatToDouble
        case (let old, _) where old == new: return .same
        case (let old, .any): return .mixed(old)
        default: return nil
        }
    }

    /// Whether there is a place for every value: one value becomes a collection of one, a set a
    /// list, and a collection a list or dictionary in a value of any type.
    private static func keepsPlaces(_ old: CollectionKind, _ new: _StoredType) -> Bool {
        switch (old, new.collection) {
        case (.none, .list), (.none, .set), (.set, .list): true
        case (_, .none): old == .none || new.type == .any
        case (let old, let new): old == new
        }
    }

    /// Whether an element, or a value that is not nil, is removed.
    func drops(_ raw: _RawValue) -> Bool {
        switch raw {
        case .null: dropsNil
        case .word: false
        case .bytes(let bytes): dropsCollections && MixedCode.isCollection(bytes)
        }
    }

    /// Whether a value is another one afterwards.
    func rounds(_ raw: _RawValue) -> Bool {
        guard element == .intToDouble, case .word(let word) = raw else { return false }
        return Int64(exactly: Double(word)) != word
    }

    /// Whether some values may be changed or removed.
    var mayLose: Bool { dropsNil || dropsCollections || element == .intToDouble }
}

extension MixedCode {
    /// Whether a stored value is a list or dictionary.
    static func isCollection(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if case .collection = reference(in: bytes) { return true }
        return false
    }
}
