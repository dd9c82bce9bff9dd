/// Rules that classes must keep before anything is compared or stored.
enum SchemaValidation {
    static let typeNameByteCountMax = 57
    static let propertyNameByteCountMax = 63

    /// Every broken rule, in whole sentences with stored names.
    static func problems(of classes: [ClassInfo]) -> [String] {
        var problems: [String] = []
        let names = Set(classes.map(\.storedName))
        var seen: [String: ClassInfo] = [:]
        for info in classes {
            if let other = seen[info.storedName] {
                problems.append(
                    "\(String(reflecting: other.type)) and \(String(reflecting: info.type)) "
                        + "have the same name '\(info.storedName)'. Give one of them another with "
                        + "`override class func _realmObjectName()`.")
            }
            seen[info.storedName] = info
            problems += self.problems(of: info, targets: names)
        }
        return problems
    }

    private static func problems(of info: ClassInfo, targets: Set<String>) -> [String] {
        var problems: [String] = []
        let name = info.storedName
        if name.utf8.count > typeNameByteCountMax || name.isEmpty {
            problems.append(
                "Object type name '\(name)' has \(name.utf8.count) bytes; 1 to "
                    + "\(typeNameByteCountMax) are allowed.")
        }
        if info.properties.isEmpty {
            problems.append(
                "No properties are defined for '\(name)'. Declare at least one with @Persisted; if "
                    + "there are some, the module was built with `-disable-reflection-metadata`.")
        }
        if info.properties.filter(\.isPrimaryKey).count > 1 {
            problems.append("Type '\(name)' has more than one primary key.")
        }
        var names: Set<String> = []
        for property in info.properties {
            let path = "\(name).\(property.storedName)"
            if !names.insert(property.storedName).inserted {
                problems.append("Property '\(path)' is declared or mapped twice.")
            }
            if property.storedName.utf8.count > propertyNameByteCountMax {
                problems.append(
                    "Property name '\(path)' has \(property.storedName.utf8.count) bytes; at most "
                        + "\(propertyNameByteCountMax) are allowed.")
            }
            if let target = property.type.targetClass.map({ ClassInfo.of($0) }),
                !targets.contains(target.storedName)
            {
                problems.append(
                    "Property '\(path)' of type 'object' has unknown object type "
                        + "'\(target.storedName)'. Add it to `objectTypes`.")
            }
        }
        return problems
    }
}
