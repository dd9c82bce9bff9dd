/// Finding what a class declares: the wrappers of one fresh instance.
extension ClassInfo {
    typealias Discovered = (
        properties: [Property], inverses: [Inverse], unwrapped: [Unwrapped], hasHiddenFields: Bool,
        fieldCount: Int, nameProblems: [String], ignoresWrapper: Bool
    )

    static func discover(_ type: ObjectBase.Type) -> Discovered {
        let levels = ClassLevel.levels(of: type)
        let fields = levels.flatMap(\.persisted)
        let names = DeclaredNames(of: type, fields: fields.map(\.propertyName))
        let instance = type.newInstance()
        var found: Discovered = (
            [], [], [], levels.contains(where: \.isHidden),
            levels.reduce(0) { $0 + $1.fields.count },
            names.problems + undecoratedProblems(levels, of: type), false
        )
        for field in fields {
            guard let wrapper = field.wrapper else { continue }
            let name = field.propertyName
            if names.ignored.contains(name) {
                if !field.isUnwrapped { found.ignoresWrapper = true }
                continue
            }
            let offset = field.offset
            if let unwrapped = wrapper as? any UnwrappedProperty.Type {
                found.unwrapped.append(
                    Unwrapped(
                        name: name, offset: offset, type: unwrapped, isVariable: field.isVariable))
            }
            let storage = instance._memory + offset
            let valueType = wrapper.valueType
            if let inverse = valueType as? any InverseProperty.Type {
                found.inverses.append(
                    Inverse(
                        name: name, offset: offset,
                        originProperty: inverse.originProperty(storage), valueType: valueType,
                        isUnwrapped: field.isUnwrapped))
                continue
            }
            let attributes = wrapper.attributes(at: storage)
            let startsAsNow = valueType._storedType.isDate && !wrapper.isSet(at: storage)
            var defaultValue = RawConstant(undeclaredOf: valueType._storedType)
            if !startsAsNow {
                valueType._withDefault(storage) { defaultValue = RawConstant($0) }
            }
            let isByTokens = attributes & 32 != 0 && !valueType._storedType.mayLink
            found.properties.append(
                Property(
                    name: name, storedName: names.stored[name] ?? name,
                    offset: offset,
                    valueType: valueType, wrapper: wrapper, type: valueType._storedType,
                    attributes: attributes,
                    isPrimaryKey: attributes & 1 != 0 || names.primaryKey == name,
                    isIndexed: attributes & 2 != 0 || names.indexed.contains(name),
                    isFullText: isByTokens, isGeo: attributes & 32 != 0 && !isByTokens,
                    tokenizer: isByTokens
                        ? FullTextTokenizer(rawValue: attributes >> 2 & 3) ?? .words : .words,
                    deleteRule: isByTokens
                        ? .nullify : DeleteRule(rawValue: attributes >> 2 & 3) ?? .nullify,
                    isRequired: attributes & 16 != 0,
                    defaultValue: defaultValue, startsAsNow: startsAsNow,
                    isUnwrapped: field.isUnwrapped,
                    valueDomain: valueType.valueDomain))
        }
        return found
    }

    /// A sentence for each collection or boxed value that nothing would be stored of because other
    /// properties beside it have `@Persisted`.
    private static func undecoratedProblems(
        _ levels: [ClassLevel], of type: ObjectBase.Type
    ) -> [String] {
        let ignored = Set(type.ignoredProperties())
        return levels.flatMap(\.undecorated).filter { !ignored.contains($0.propertyName) }.map {
            "Property '\(type.objectTypeName()).\($0.propertyName)' is declared without @Persisted beside "
                + "properties that have it, and would not be stored: declare it "
                + "`@Persisted var`, or name it in `ignoredProperties()`."
        }
    }
}
