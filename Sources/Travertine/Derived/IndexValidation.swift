/// Rules that declared indexes keep, beside those of single properties.
enum IndexValidation {
    /// Types whose values no index holds.
    static let unindexedTypes: [PropertyType] = [.object, .linkingObjects]
    /// Types whose values are no good identities: they have equal ones with different bytes, and
    /// NaN.
    private static let inexactTypes: [PropertyType] = [.float, .double, .decimal128]

    /// Every broken rule, in whole sentences.
    static func problems(of info: ClassInfo, among classes: [String: ClassInfo]) -> [String] {
        var problems: [String] = []
        for property in info.properties where property.isFullText {
            let path = "\(info.storedName).\(property.storedName)"
            if property.type.type != .string || property.type.collection != .none {
                problems.append("Property '\(path)' has a full-text index and is no string.")
            }
            if property.isIndexed || property.isPrimaryKey {
                problems.append("Property '\(path)' can't be both indexed and full text.")
            }
        }
        for property in info.properties where property.isGeo {
            problems += placeProblem(of: property, in: info, classes).map { [$0] } ?? []
        }
        for index in info.indexes { problems += self.problems(of: index, in: info) }
        return problems
    }

    /// What is wrong with an index of places: it is of one link to a point.
    private static func placeProblem(
        of property: ClassInfo.Property, in info: ClassInfo, _ classes: [String: ClassInfo]
    ) -> String? {
        let path = "\(info.storedName).\(property.storedName)"
        guard property.type.type == .object, property.type.collection == .none,
            let target = classes[property.target], target.isEmbedded
        else {
            return
                "Property '\(path)' has an index of places and is no link to one embedded object."
        }
        if PointSlots(target.properties.map { StoredProperty($0) }) != nil { return nil }
        return
            "Property '\(path)' has an index of places, and '\(target.storedName)' is no point: it "
            + "stores no string 'type' with a list of doubles 'coordinates'. Link to a "
            + "CanonicalGeoPoint."
    }

    private static func problems(of index: ObjectIndex, in info: ClassInfo) -> [String] {
        let count = index.properties.count
        let text = "The index of '\(info.storedName)' over \(index.properties)"
        guard (1...ObjectIndex.propertyCountMax).contains(count) else {
            return [
                "\(text) has \(count) properties; 1 to \(ObjectIndex.propertyCountMax) are allowed."
            ]
        }
        var problems: [String] = []
        var seen: Set<Int> = []
        for name in index.properties {
            guard let slot = info.slot(named: name) else {
                problems.append(
                    "\(text) names '\(name)', which is no property."
                        + NearNames.advice(on: name, among: info.properties.map(\.name)))
                continue
            }
            let type = info.properties[slot].type
            if count == 1, info.properties[slot].isFullText {
                problems.append(
                    "Property '\(info.storedName).\(info.properties[slot].storedName)' can't be both "
                        + "indexed and full text.")
            }
            if !seen.insert(slot).inserted { problems.append("\(text) names '\(name)' twice.") }
            if type.collection != .none || unindexedTypes.contains(type.type) {
                problems.append("\(text) can't hold '\(name)' of type '\(type.text)'.")
            } else if index.isUnique, inexactTypes.contains(type.type) {
                problems.append(
                    "\(text) is unique and can't hold '\(name)' of type '\(type.text)'. Make it one "
                        + "of an integer or of a text, or an index that is not unique.")
            }
        }
        return problems
    }
}
