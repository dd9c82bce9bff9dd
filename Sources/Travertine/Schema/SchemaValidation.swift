/// Rules that classes must keep before anything is compared or stored.
enum SchemaValidation {
    static let typeNameByteCountMax = 57
    static let propertyNameByteCountMax = 63

    /// Every broken rule, in whole sentences with stored names.
    static func problems(of classes: [ClassInfo]) -> [String] {
        var problems: [String] = []
        var seen: [String: ClassInfo] = [:]
        for info in classes {
            if let other = seen[info.storedName] {
                problems.append(sameName(other, info))
            }
            seen[info.storedName] = info
        }
        for info in classes {
            problems += self.problems(of: info)
            for property in info.properties {
                problems += self.problems(of: property, in: info, seen)
            }
            problems += info.inverses.compactMap { problem(of: $0, in: info, seen) }
            problems += IndexValidation.problems(of: info, among: seen)
        }
        return problems + embeddedCycles(classes)
    }

    /// That two types have one name; types of `objectSchemas` come after classes.
    private static func sameName(_ first: ClassInfo, _ second: ClassInfo) -> String {
        let name = second.storedName
        func isWithoutClass(_ info: ClassInfo) -> Bool { info.type == DynamicObject.self }
        if isWithoutClass(first) {
            return
                "Two types of `objectSchemas` have the same name '\(name)'. Leave one of them out."
        }
        if isWithoutClass(second) {
            return "\(String(reflecting: first.type)) and a type of `objectSchemas` have the same "
                + "name '\(name)'. Add its properties with `ObjectSchema(extending:adding:)`, or give "
                + "it another name."
        }
        return "\(String(reflecting: first.type)) and \(String(reflecting: second.type)) "
            + "have the same name '\(name)'. Give one of them another with "
            + "`override class func objectTypeName()`."
    }

    // MARK: Types

    private static func problems(of info: ClassInfo) -> [String] {
        var problems: [String] = []
        let name = info.storedName
        if name.utf8.count > typeNameByteCountMax || name.isEmpty {
            problems.append(
                "Object type name '\(name)' has \(name.utf8.count) bytes; 1 to "
                    + "\(typeNameByteCountMax) are allowed. Give the type a shorter stored name with "
                    + "`override class func objectTypeName()`.")
        }
        problems += info.nameProblems
        for field in info.unwrappedProperties where field.isVariable {
            problems.append(
                "Property '\(name).\(field.name)' is declared 'var' without @Persisted: declare it "
                    + "with 'let', or with @Persisted, or name it in `ignoredProperties()`.")
        }
        if info.hasHiddenFields {
            problems.append(
                "The properties of '\(name)' can't be found: the class, or one that it is derived "
                    + "from, was built with `-disable-reflection-metadata`. Build its module "
                    + "without that flag.")
        } else if info.properties.isEmpty, info.inverses.isEmpty {
            problems.append(
                "No properties are defined for '\(name)'. Declare at least one with @Persisted.")
        }
        let fields = info.properties.map {
            Layout.Field(property: 0, type: $0.type, width: $0.type.type.narrowestWidth)
        }
        if Layout(number: 1, fields: fields, endWidth: 1) == nil {
            problems.append("'\(name)' has too many properties for a row.")
        }
        let keys = info.properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            let names = keys.map { "'\($0.name)'" }.joined(separator: ", ")
            problems.append(
                "Type '\(name)' has more than one primary key: \(names). Leave one of them.")
        }
        if info.isEmbedded, !keys.isEmpty {
            problems.append("Embedded object type '\(name)' cannot have a primary key.")
        }
        var names: Set<String> = []
        for property in info.properties {
            if !names.insert(property.storedName).inserted {
                problems.append(
                    "Property '\(name).\(property.storedName)' is declared or mapped twice.")
            }
        }
        for property in info.properties where property.name != property.storedName {
            if info.properties.contains(where: { $0.storedName == property.name }) {
                problems.append(
                    "Property '\(name).\(property.storedName)' has the public name "
                        + "'\(property.name)', which is the stored name of another property.")
            }
        }
        for inverse in info.inverses {
            guard let other = info.properties.first(where: { $0.storedName == inverse.name }) else {
                continue
            }
            problems.append(
                "Linking objects property '\(name).\(inverse.name)' has the stored name of property "
                    + "'\(other.name)'. Map that to another.")
        }
        return problems
    }

    // MARK: Properties

    private static func problems(
        of property: ClassInfo.Property, in info: ClassInfo, _ classes: [String: ClassInfo]
    ) -> [String] {
        var problems: [String] = []
        let path = "\(info.storedName).\(property.storedName)"
        let byteCount = property.storedName.utf8.count
        if byteCount > propertyNameByteCountMax || byteCount == 0 {
            problems.append(
                "Property name '\(path)' has \(byteCount) bytes; 1 to "
                    + "\(propertyNameByteCountMax) are allowed. Give the property a shorter stored "
                    + "name with `override class func propertiesMapping()`.")
        }
        let type = property.type
        let keyTypes: [PropertyType] = [.int, .string, .objectId, .UUID, .data]
        if property.isPrimaryKey, type.collection != .none || !keyTypes.contains(type.type) {
            problems.append(
                "Property '\(path)' cannot be the primary key: it is '\(type.text)', not a 'string', "
                    + "'int', 'object id', 'uuid' or 'data'.")
        }
        let isIndexable =
            type.collection == .none && !IndexValidation.unindexedTypes.contains(type.type)
        if property.isIndexed, !isIndexable {
            problems.append(
                "Property '\(path)' of type '\(type.text)' cannot be indexed.")
        }
        if property.isRequired, type.collection != .none || type.type != .object {
            problems.append("Property '\(path)' is no to-one link: it cannot be required.")
        }
        if property.deleteRule != .nullify, type.targetClass == nil {
            problems.append("Property '\(path)' links to nothing: it takes no delete rule.")
        }
        if property.hasUnfitDefault {
            problems.append(
                "Property '\(path)' of type '\(type.text)' cannot have the default that is declared."
            )
        }
        if type.type == .object, property.target.isEmpty {
            problems.append("Property '\(path)' is a link and names no object type.")
        }
        if type.type == .linkingObjects || (type.type == .any && type.isOptional) {
            problems.append("Property '\(path)' cannot be declared with type '\(type.text)'.")
        }
        guard !property.target.isEmpty else { return problems }
        guard let target = type.targetClass.map({ ClassInfo.of($0) }) ?? classes[property.target]
        else {
            return problems + [
                "Property '\(path)' of type 'object' has unknown object type "
                    + "'\(property.target)'. Add it to `objectTypes` or `objectSchemas`."
            ]
        }
        if classes[target.storedName] == nil {
            problems.append(
                "Property '\(path)' of type 'object' has unknown object type "
                    + "'\(target.storedName)'. Add it to `objectTypes`.")
        }
        if target.isAsymmetric {
            problems.append(
                "Property '\(path)' links to the asymmetric object type '\(target.storedName)': "
                    + "nothing can link to asymmetric objects. Leave the property out, or make the type "
                    + "an `Object`.")
        }
        if type.collection == .set, target.isEmbedded {
            problems.append(
                "Property '\(path)' is a set of embedded objects '\(target.storedName)': use a "
                    + "list or a map.")
        }
        if type.collection == .list || type.collection == .set, type.isOptional {
            problems.append("Property '\(path)': objects in lists and sets cannot be optional.")
        }
        if type.collection == .map, !type.isOptional {
            problems.append(
                "Property '\(path)': objects in maps must be optional. Declare it "
                    + "`Map<String, \(property.customType.map { "\($0)" } ?? target.className)?>`.")
        }
        return problems
    }

    private static func problem(
        of inverse: ClassInfo.Inverse, in info: ClassInfo, _ classes: [String: ClassInfo]
    ) -> String? {
        guard let source = inverse.valueType._storedType.targetClass.map({ ClassInfo.of($0) })
        else { return nil }
        let path = "\(info.storedName).\(inverse.name)"
        if source.isAsymmetric {
            return "Property '\(path)' has the objects of the asymmetric type "
                + "'\(source.storedName)' that link here: these can't be read. Leave the property "
                + "out."
        }
        let origin = "\(source.storedName).\(inverse.originProperty)"
        guard classes[source.storedName] != nil else {
            return "Property '\(path)' of type 'linking objects' has unknown object type "
                + "'\(source.storedName)'. Add it to `objectTypes`."
        }
        guard let slot = source.slot(named: inverse.originProperty) else {
            return "Property '\(origin)' declared as origin of linking objects property '\(path)' "
                + "does not exist."
        }
        guard source.properties[slot].type.targetClass?.isBase(of: info.type) == true else {
            return "Property '\(origin)' declared as origin of linking objects property '\(path)' "
                + "does not link to type '\(info.storedName)'."
        }
        return nil
    }

    // MARK: Cycles

    /// A sentence for each embedded type that can hold itself, objects of derived classes included.
    private static func embeddedCycles(_ classes: [ClassInfo]) -> [String] {
        classes.filter(\.isEmbedded).compactMap { start in
            var visited: Set<ObjectIdentifier> = []
            var pending = [start]
            while let info = pending.popLast() {
                for property in info.properties {
                    let held = embedded(in: property, classes)
                    if held.contains(where: { $0 === start }) {
                        return "Cycles containing embedded objects are not allowed: "
                            + "'\(start.storedName)' holds itself by "
                            + "'\(info.storedName).\(property.storedName)'."
                    }
                    pending += held.filter { visited.insert(ObjectIdentifier($0)).inserted }
                }
            }
            return nil
        }
    }

    /// The embedded types whose objects a property can hold: its target's, and those of classes
    /// derived from the target's.
    private static func embedded(
        in property: ClassInfo.Property, _ classes: [ClassInfo]
    ) -> [ClassInfo] {
        guard let target = classes.first(where: { $0.storedName == property.target }),
            target.isEmbedded
        else { return [] }
        if target.type == DynamicObject.self { return [target] }
        return classes.filter { target.type.isBase(of: $0.type) }
    }
}
