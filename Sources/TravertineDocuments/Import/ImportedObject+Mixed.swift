import Travertine

/// Values of any type.
extension ImportedObject {
    /// The value as a property of any type holds it; a DBRef without target stays a dictionary that
    /// waits for it.
    ///
    /// - Parameter path: the way to it through the collections that are around it.
    func mixed(
        _ value: AnyBSON, _ slot: Int, path: [MixedStep]
    ) throws(FieldRefusal) -> AnyRealmValue {
        if let reason = value.loss(in: .any) { throw FieldRefusal(reason) }
        switch value {
        case .null, .undefined: return .none
        case .int32(let number): return .int(Int(number))
        case .int64(let number): return .int(Int(number))
        case .double(let number): return .double(number)
        case .decimal128(let number): return .decimal128(number)
        case .bool(let flag): return .bool(flag)
        case .string(let text), .symbol(let text): return .string(text)
        case .binary(let binary): return .data(binary.data)
        case .uuid(let uuid): return .uuid(uuid)
        case .objectId(let id): return .objectId(id)
        case .datetime(let time): return .date(time.date)
        case .array, .document: return try mixedCollection(value, slot, path)
        default: throw FieldRefusal("mixed cannot hold a \(value.typeName)")
        }
    }

    private func mixedCollection(
        _ value: AnyBSON, _ slot: Int, _ path: [MixedStep]
    ) throws(FieldRefusal) -> AnyRealmValue {
        if let reference = value.linkReference, let object = object(reference) {
            return .object(object)
        }
        let target = try waits(value, slot, path: path)
        guard path.count < Self.mixedDepthMax else {
            throw FieldRefusal("more than \(Self.mixedDepthMax) levels in a mixed value")
        }
        if case .array(let elements) = value {
            var values: [AnyRealmValue] = []
            for (index, element) in elements.enumerated() {
                do throws(FieldRefusal) {
                    values.append(try mixed(element, slot, path: path + [.position(index)]))
                } catch {
                    throw error.below(String(index))
                }
            }
            return .fromArray(values)
        }
        var values: [String: AnyRealmValue] = [:]
        for element in value.documentValue ?? Document() {
            do throws(FieldRefusal) {
                let value = try mixed(
                    element.value, slot, path: path + [.key(Array(element.key.utf8))])
                if values.updateValue(value, forKey: element.key) != nil {
                    throw ImportedObject.repetition(of: element.key, among: Array(values.keys))
                }
            } catch {
                throw error.below(element.key)
            }
        }
        // What waits has the name of the type, whatever the document calls it, like a link.
        if let target { values["$ref"] = .string(target.name) }
        return .fromDictionary(values)
    }

    /// Why a dictionary of Swift can't have a name besides those that it has.
    static func repetition(of name: String, among names: [String]) -> FieldRefusal {
        FieldRefusal(
            names.containsName(name)
                ? "appears twice"
                : "a name of other bytes, which Swift takes for the same, is here already")
    }

    /// The most lists and dictionaries that are nested in a property.
    static let mixedDepthMax = 99

    /// The object that a reference leads to; nil if it is not there.
    func object(_ reference: DBRef) -> Object? {
        guard let target = plan.plans.type(referredToAs: reference.collection),
            let keySlot = target.keySlot, !target.isEmbedded, !target.isAsymmetric
        else { return nil }
        let type = target.fields[keySlot].type
        do {
            let key = try reference.id.withKey(type) { try target.key(forPrimaryKey: $0) }
            return (key ?? nil).flatMap { target.object(ofKey: $0) }
        } catch {
            return nil
        }
    }
}
