import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An object that is being made of a document: its draft, and the links that have no target yet.
final class ImportedObject {
    let plan: ImportPlan
    let draft: ObjectDraft
    var waiting: [WaitingLink] = []
    var children: [(object: ImportedObject, key: UInt64, slot: Int)] = []
    /// Names of fields without property.
    private var unknown: [String] = []
    /// Properties whose field was null where they can't be nil, and that have no value therefore.
    private var passedOver: [Int] = []

    struct WaitingLink {
        var slot: Int
        var position = 0
        var mapKey: [UInt8] = []
        /// The way to a DBRef inside a value of any type.
        var path: [MixedStep] = []
        var target: String
        var targetKey: [UInt8]
    }

    /// Where a value is put: into a property, or into the collection that is open.
    struct Place {
        var slot: Int
        var isElement = false
        var position = 0
        var mapKey: [UInt8] = []
    }

    init(_ plan: ImportPlan) {
        self.plan = plan
        draft = ObjectDraft(plan.type)
    }

    func clear() {
        draft.clear()
        if !waiting.isEmpty { waiting.removeAll() }
        if !children.isEmpty { children.removeAll() }
        if !unknown.isEmpty { unknown.removeAll() }
        if !passedOver.isEmpty { passedOver.removeAll() }
    }

    // MARK: Fields

    func noteUnknown(_ name: String) { unknown.append(name) }

    /// Counts the fields without property, and those whose null became a default, once the object
    /// is stored.
    func countFields() {
        for name in unknown { plan.noteUnknown(name) }
        for slot in passedOver { plan.noteDefaulted(slot) }
        for child in children { child.object.countFields() }
    }

    /// Takes all fields of a document.
    ///
    /// - Parameter skipped: the name of a field that is no property.
    func fill(_ document: Document, skipping skipped: String? = nil) throws(FieldRefusal) {
        var last = -1
        for element in document {
            if let skipped, element.key == skipped { continue }
            guard let slot = plan.slot(element.key, after: last) else {
                noteUnknown(element.key)
                continue
            }
            last = slot
            try set(slot, element.value)
        }
        try finish()
    }

    /// Gives a property a value.
    func set(_ slot: Int, _ value: AnyBSON) throws(FieldRefusal) {
        do throws(FieldRefusal) {
            try begin(slot)
            if plan.type.fields[slot].collection == .none {
                try put(value, Place(slot: slot))
            } else {
                try setCollection(value, slot)
            }
        } catch {
            throw error.below(plan.type.fields[slot].name)
        }
    }

    /// Checks that a property has no value yet.
    func begin(_ slot: Int) throws(FieldRefusal) {
        if draft.isSet(slot) || !passedOver.isEmpty && passedOver.contains(slot) {
            throw FieldRefusal("appears twice")
        }
    }

    /// Looks for what is missing, once all fields are in.
    func finish() throws(FieldRefusal) {
        for slot in plan.type.fields.indices where !draft.isSet(slot) {
            let field = plan.type.fields[slot]
            if plan.isRequired[slot] {
                throw FieldRefusal("required, and missing", at: [field.name])
            }
            if field.collection == .none, !field.isHidden,
                field.isOptional || field.type == .object
            {
                draft.setNull(slot)
            }
        }
    }

    // MARK: Collections

    private func setCollection(_ value: AnyBSON, _ slot: Int) throws(FieldRefusal) {
        let field = plan.type.fields[slot]
        if case .null = value {
            if plan.isRequired[slot] { throw FieldRefusal("required, and null") }
            passedOver.append(slot)
            return
        }
        switch (field.collection, value) {
        case (.map, .document(let document)): try setMap(document, slot)
        case (.map, _): throw FieldRefusal("object expected, \(value.typeName) found")
        case (_, .array(let elements)): try setList(elements, slot)
        default: throw FieldRefusal("array expected, \(value.typeName) found")
        }
    }

    private func setList(_ elements: [AnyBSON], _ slot: Int) throws(FieldRefusal) {
        let field = plan.type.fields[slot]
        let isLater =
            field.isVarying
            ? plan.variants[slot] == nil
            : field.type == .any && elements.contains(where: \.needsObjectKey)
        if isLater {
            var values: [Any] = []
            for (index, element) in elements.enumerated() {
                let place = Place(slot: slot, isElement: true, position: index)
                do throws(FieldRefusal) {
                    if let value = try later(element, place, .position(index)) {
                        values.append(value)
                    }
                } catch {
                    throw error.below(String(index))
                }
            }
            draft.setLater(slot, values)
            return
        }
        draft.beginElements(slot)
        for index in elements.indices {
            do throws(FieldRefusal) {
                try put(
                    elements[index], Place(slot: slot, isElement: true, position: index))
            } catch {
                throw error.below(String(index))
            }
        }
        try endElements()
    }

    private func setMap(_ document: Document, _ slot: Int) throws(FieldRefusal) {
        let field = plan.type.fields[slot]
        let isLater =
            field.isVarying
            ? plan.variants[slot] == nil
            : field.type == .any && document.contains(where: { $0.value.needsObjectKey })
        if isLater {
            var values: [String: Any] = [:]
            let none = Any?.none as Any
            for element in document {
                let key = Array(element.key.utf8)
                let place = Place(slot: slot, isElement: true, mapKey: key)
                do throws(FieldRefusal) {
                    let value: Any = try later(element.value, place, .key(key)) ?? none
                    if values.updateValue(value, forKey: element.key) != nil {
                        throw Self.repetition(of: element.key, among: Array(values.keys))
                    }
                } catch {
                    throw error.below(element.key)
                }
            }
            draft.setLater(slot, values)
            return
        }
        draft.beginElements(slot)
        for element in document {
            let key = Array(element.key.utf8)
            key.withUnsafeBytes { draft.addKey($0) }
            do throws(FieldRefusal) {
                try put(element.value, Place(slot: slot, isElement: true, mapKey: key))
            } catch {
                throw error.below(element.key)
            }
        }
        try endElements()
    }

    /// An element of a collection that is filled once its object has a key; nil if it is a link
    /// that waits for its target.
    private func later(
        _ value: AnyBSON, _ place: Place, _ step: MixedStep
    ) throws(FieldRefusal) -> Any? {
        let field = plan.type.fields[place.slot]
        if field.isVarying { return try varyingElement(value, place) }
        if field.collection == .set, try waits(value, place.slot, path: []) != nil { return nil }
        let mixed = try mixed(value, place.slot, path: [step])
        if field.collection == .set, mixed.listValue != nil || mixed.dictionaryValue != nil {
            throw FieldRefusal("a set cannot hold a list or dictionary")
        }
        return mixed
    }

    /// Ends the collection that is open.
    func endElements() throws(FieldRefusal) {
        if !draft.endElements() { throw FieldRefusal("an element for the second time") }
    }

    // MARK: Values

    @inline(__always)
    func put(word: Int64, _ place: Place) {
        place.isElement ? draft.addWord(word) : draft.setWord(place.slot, word)
    }

    @inline(__always)
    func put(bytes: UnsafeRawBufferPointer, _ place: Place) {
        place.isElement ? draft.addBytes(bytes) : draft.setBytes(place.slot, bytes)
    }

    private func put(scalar: some _Scalar, _ place: Place) {
        scalar._withRaw { raw in
            switch raw {
            case .null: break
            case .word(let word): put(word: word, place)
            case .bytes(let bytes): put(bytes: bytes, place)
            }
        }
    }

    /// Takes a value for a property or an element.
    func put(_ value: AnyBSON, _ place: Place) throws(FieldRefusal) {
        let field = plan.type.fields[place.slot]
        switch field.type {
        case .any where field.isVarying:
            if let classes = plan.variants[place.slot] {
                try putEmbedded(value, ofClassesIn: classes, place)
            } else {
                try putVarying(value, place)
            }
        case .any:
            let mixed = try self.mixed(value, place.slot, path: [])
            if value.needsObjectKey {
                draft.setLater(place.slot, mixed)
            } else {
                place.isElement ? draft.addMixed(mixed) : draft.setMixed(place.slot, mixed)
            }
        case .object: try putObject(value, place)
        default:
            if case .null = value { return try putNull(place) }
            if plan.isNarrow[place.slot] { try checkRange(of: value, place.slot) }
            if let reason = value.loss(in: field.type) { throw FieldRefusal(reason) }
            guard put(value, as: field.type, place) else {
                throw FieldRefusal(
                    "\(field.type.schemaScalar.rawValue) expected, \(value.typeName) found")
            }
        }
    }

    /// Checks that an integer is one that the property can hold.
    private func checkRange(of value: AnyBSON, _ slot: Int) throws(FieldRefusal) {
        let number: Int64
        switch value {
        case .int32(let narrow): number = Int64(narrow)
        case .int64(let wide): number = wide
        default: return
        }
        guard let range = plan.ranges[slot], !range.contains(number) else { return }
        throw FieldRefusal("\(number) is not from \(range.lowerBound) to \(range.upperBound)")
    }

    func putNull(_ place: Place) throws(FieldRefusal) {
        let field = plan.type.fields[place.slot]
        if place.isElement {
            guard field.isOptional else {
                let expected =
                    plan.embedded[place.slot] != nil
                    ? "object"
                    : field.type == .object ? "a link" : field.type.schemaScalar.rawValue
                throw FieldRefusal("\(expected) expected, null found")
            }
            draft.addNull()
        } else if plan.isRequired[place.slot] {
            throw FieldRefusal("required, and null")
        } else if field.isOptional || field.type == .object {
            draft.setNull(place.slot)
        } else {
            passedOver.append(place.slot)
        }
    }

    /// Takes a value that must be of a type; false if it is of another.
    private func put(_ value: AnyBSON, as type: PropertyType, _ place: Place) -> Bool {
        switch (type, value) {
        case (.int, .int32(let number)): put(word: Int64(number), place)
        case (.int, .int64(let number)): put(word: number, place)
        case (.bool, .bool(let flag)): put(word: flag ? 1 : 0, place)
        case (.string, .string(var text)), (.string, .symbol(var text)):
            text.withUTF8 { put(bytes: UnsafeRawBufferPointer($0), place) }
        case (.double, .double(let number)): put(scalar: number, place)
        case (.double, .int32(let number)): put(scalar: Double(number), place)
        case (.double, .int64(let number)): put(scalar: Double(number), place)
        case (.float, .double(let number)): put(scalar: Float(number), place)
        case (.float, .int32(let number)): put(scalar: Float(number), place)
        case (.float, .int64(let number)): put(scalar: Float(number), place)
        case (.date, .datetime(let time)): put(scalar: time.date, place)
        case (.data, .binary(let binary)):
            binary.data.withUnsafeBytes { put(bytes: $0, place) }
        case (.objectId, .objectId(let id)): put(scalar: id, place)
        case (.UUID, .uuid(let uuid)): put(scalar: uuid, place)
        case (.decimal128, .decimal128(let number)): put(scalar: number, place)
        case (.decimal128, .int32(let number)): put(scalar: Decimal128(number), place)
        case (.decimal128, .int64(let number)): put(scalar: Decimal128(number), place)
        default: return false
        }
        return true
    }
}
