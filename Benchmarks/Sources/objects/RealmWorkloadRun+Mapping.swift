import Travertine

extension RealmWorkloadRun {
    private static var mappedCount: Int { 10_000 }
    private static var mappedElementCount: Int { 3 }

    /// Arrays of one property of 10,000 objects, by `map` and by `value(forKey:)`.
    mutating func mapValues() throws {
        try mapInts()
        try mapDeclared()
        try mapLegacy()
    }

    private mutating func mapInts() throws {
        guard wants("map", "value_for_key") else { return }
        let realm = try makeStringObjects(min(Self.mappedCount, largeCount))
        try map(realm, "", 100, key: "intCol") { (object: IntModel) in object.intCol }
        try close(realm)
    }

    private mutating func mapDeclared() throws {
        let kinds = ["string", "optional_int", "optional_string", "list", "set"]
        guard kinds.contains(where: { wants("map_" + $0, "value_for_key_" + $0) }) else { return }
        let realm = try makeRealm()
        try realm.write {
            for number in 0..<min(Self.mappedCount, largeCount) {
                let object = MappedModel()
                object.string = "\(number)"
                object.optionalInt = number
                object.optionalString = "\(number)"
                for element in 0..<Self.mappedElementCount {
                    object.list.append(element)
                    object.set.insert(element)
                }
                realm.add(object)
            }
        }
        try map(realm, "_string", 100, key: "string") { (object: MappedModel) in object.string }
        try map(realm, "_optional_int", 10, key: "optionalInt") { (object: MappedModel) in
            object.optionalInt
        }
        try map(realm, "_optional_string", 10, key: "optionalString") { (object: MappedModel) in
            object.optionalString
        }
        try map(realm, "_list", 100, key: "list") { (object: MappedModel) in object.list }
        try map(realm, "_set", 100, key: "set") { (object: MappedModel) in object.set }
        try close(realm)
    }

    private mutating func mapLegacy() throws {
        let kinds = ["optional_int", "optional_string", "list", "set"].map { "legacy_" + $0 }
        guard kinds.contains(where: { wants("map_" + $0, "value_for_key_" + $0) }) else { return }
        let realm = try makeRealm()
        try realm.write {
            for number in 0..<min(Self.mappedCount, largeCount) {
                let object = LegacyMappedModel()
                object.optionalInt.value = number
                object.optionalString.value = "\(number)"
                for element in 0..<Self.mappedElementCount {
                    object.list.append(element)
                    object.set.insert(element)
                }
                realm.add(object)
            }
        }
        try map(realm, "_legacy_optional_int", 10, key: "optionalInt") {
            (object: LegacyMappedModel) in object.optionalInt.value
        }
        try map(realm, "_legacy_optional_string", 10, key: "optionalString") {
            (object: LegacyMappedModel) in object.optionalString.value
        }
        try map(realm, "_legacy_list", 100, key: "list") { (object: LegacyMappedModel) in
            object.list
        }
        try map(realm, "_legacy_set", 100, key: "set") { (object: LegacyMappedModel) in object.set }
        try close(realm)
    }

    /// Makes arrays of a property of all objects of a type, in both ways.
    private mutating func map<Model: Object, Value>(
        _ realm: Realm, _ kind: String, _ times: Int, key: String,
        _ property: (Model) -> Value
    ) throws {
        let expected = realm.objects(Model.self).count * times
        try time("map" + kind, expected) {
            (0..<times).reduce(0) { sum, _ in
                sum + Array(realm.objects(Model.self).map(property)).count
            }
        }
        try time("value_for_key" + kind, expected) {
            (0..<times).reduce(0) { sum, _ in
                sum + realm.objects(Model.self).value(forKey: key).count
            }
        }
    }
}
