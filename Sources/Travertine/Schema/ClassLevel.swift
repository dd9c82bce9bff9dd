@_spi(Reflection) import Swift

/// The stored fields that a class declares itself, without those of its superclass.
struct ClassLevel {
    /// A stored field, which may be a persisted property.
    struct Field {
        var name: String
        /// The byte offset in instances.
        var offset: Int
        var type: Any.Type
        /// Whether it was declared with `var`.
        var isVariable: Bool

        /// What the compiler puts before the name of a lazy variable.
        private static let lazyPrefix = "$__lazy_storage_$_"

        /// How the field is persisted if it is: by its wrapper, or by being what it is.
        var wrapper: (any PersistedWrapper.Type)? { type as? any PersistedWrapper.Type }
        var isUnwrapped: Bool { type is any UnwrappedProperty.Type }
        /// Whether it looks as if it were persisted, as a lazy or optional collection does, and is
        /// not.
        var isUndecorated: Bool {
            isUnwrapped
                || (type as? any OptionalField.Type)?.wrappedType is any UnwrappedProperty.Type
        }
        /// The name of the property that the field is of: without the `_` of a wrapper.
        var propertyName: String {
            if name.hasPrefix(Self.lazyPrefix) {
                return String(name.dropFirst(Self.lazyPrefix.count))
            }
            return !isUnwrapped && name.hasPrefix("_") ? String(name.dropFirst()) : name
        }
    }

    let fields: [Field]
    /// Whether the class has stored fields of types that are not persisted.
    let isHidden: Bool

    /// The fields that are persisted: those with `@Persisted`, and in a level without any, those of
    /// types that are persisted as they are.
    var persisted: [Field] {
        let wrapped = fields.filter { $0.wrapper != nil && !$0.isUnwrapped }
        return wrapped.isEmpty ? fields.filter(\.isUnwrapped) : wrapped
    }

    /// The fields that would be persisted as they are if the level had no `@Persisted`, and those
    /// whose authors seem to expect it.
    var undecorated: [Field] {
        fields.contains { $0.wrapper != nil && !$0.isUnwrapped }
            ? fields.filter(\.isUndecorated) : []
    }

    /// The levels of a class, those of base classes first.
    static func levels(of type: ObjectBase.Type) -> [ClassLevel] {
        var chain: [AnyClass] = []
        var ancestor: AnyClass? = type
        while let current = ancestor, current != ObjectBase.self {
            chain.append(current)
            ancestor = _getSuperclass(current)
        }
        // The fields of a class begin with all of its superclass.
        var inherited = allFields(of: ObjectBase.self).count
        return chain.reversed().map { level in
            let all = allFields(of: level)
            var own = Array(all.dropFirst(inherited))
            inherited = all.count
            let records = FieldRecords(of: level)
            if records.variables.count == own.count {
                for index in own.indices { own[index].isVariable = records.variables[index] }
            }
            return ClassLevel(
                fields: own, isHidden: records.fieldCount > records.variables.count)
        }
    }

    private static func allFields(of type: AnyClass) -> [Field] {
        var fields: [Field] = []
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
            label, offset, fieldType, _ in
            fields.append(
                Field(
                    name: String(cString: label), offset: offset, type: fieldType,
                    isVariable: false))
            return true
        }
        return fields
    }
}

/// What the metadata of a class says of the class's own stored fields beside their names and types.
///
/// Invariant: the layouts are those of Swift's stable ABI. A class's metadata has its descriptor
/// after the words that the platform's runtime needs; the descriptor has a relative pointer to the
/// field descriptor at byte 16 and the number of fields at byte 36; the field descriptor has the
/// size of its records at byte 10, their number at byte 12, and from byte 16 on the records, each
/// beginning with flags of which bit 1 means `var`.
struct FieldRecords {
    /// How many stored fields the class has.
    private(set) var fieldCount = 0
    /// Whether each field that is described was declared with `var`; empty if the module was built
    /// without reflection metadata.
    private(set) var variables: [Bool] = []

    init(of type: AnyClass) {
        #if canImport(ObjectiveC)
            let offset = 64
        #else
            let offset = 40
        #endif
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard let descriptor = metadata.load(fromByteOffset: offset, as: UnsafeRawPointer?.self)
        else { return }
        fieldCount = Int(descriptor.load(fromByteOffset: 36, as: UInt32.self))
        let relative = descriptor.load(fromByteOffset: 16, as: Int32.self)
        if relative == 0 { return }
        let fields = descriptor + 16 + Int(relative)
        let recordByteCount = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let recordCount = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
        variables = (0..<recordCount).map { number in
            let flags = fields.load(
                fromByteOffset: 16 + number * recordByteCount, as: UInt32.self)
            return flags & 2 != 0
        }
    }
}

/// An optional, whose wrapped type is found without a value.
private protocol OptionalField {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalField {
    fileprivate static var wrappedType: Any.Type { Wrapped.self }
}
