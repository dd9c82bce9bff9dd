import TravertineStore

/// Lets links lead to objects of derived classes.
///
/// A property that links to a class of which the schema has derived ones is *varying*: its values
/// are stored as values of any type. One that was stored before the first derived class came is
/// made varying here, which reads and writes the rows that have it; it keeps its values and needs
/// no higher schema version. It stays varying when the derived classes go.
enum LinkVariation {
    /// Whether a declared property can link to objects of several of the classes.
    static func varies(_ declared: ClassInfo.Property, _ classes: [ClassInfo]) -> Bool {
        guard declared.type.type == .object, let target = declared.type.targetClass else {
            return false
        }
        return classes.contains { $0.type != target && target.isBase(of: $0.type) }
    }

    /// The numbers of stored properties that must become varying, by type.
    static func pending(
        _ schema: StoredSchema, _ classes: [ClassInfo]
    ) -> [UInt32: Set<UInt32>] {
        var found: [UInt32: Set<UInt32>] = [:]
        let bases = classes.filter { base in
            classes.contains { $0 !== base && base.type.isBase(of: $0.type) }
        }
        if bases.isEmpty { return [:] }
        for info in classes {
            for declared in info.properties {
                guard declared.type.type == .object,
                    bases.contains(where: { $0.type == declared.type.targetClass }),
                    let type = schema.type(named: info.storedName),
                    let property = type.properties.first(where: {
                        $0.name == declared.storedName
                    }), property.type == .object
                else { continue }
                found[type.number, default: []].insert(property.number)
            }
        }
        return found
    }

    /// Makes stored properties varying, in the realm's transaction.
    static func apply(_ pending: [UInt32: Set<UInt32>], _ session: RealmSession) throws {
        let converter = PropertyConverter(session)
        var schema = session.schema
        for (type, properties) in pending.sorted(by: { $0.key < $1.key }) {
            guard let table = try session.tableWithoutClass(number: type) else { continue }
            let steps = table.stored.properties.filter { properties.contains($0.number) }.map {
                var varying = $0
                varying.makeVarying()
                return PropertyConverter.Step(
                    number: $0.number, conversion: .varying, successor: varying)
            }
            schema.replace(try converter.convert(steps, of: table))
        }
        // Programs that don't know varying links must not open the store from now on.
        try StoredSchema.put(
            StoredSchema.headerKey, schema.encodedHeader, session.requireTransaction(),
            session.shared.schemaKeyspace)
        session.counts.variationCount += 1
    }
}

extension StoredProperty {
    /// Lets each value name the type of its object.
    mutating func makeVarying() {
        isVarying = true
        type = .any
        isOptional = false
    }
}

extension StoredObjectType {
    /// Makes a layout of the present properties the current one; widths stay as far as they were.
    ///
    /// - Returns: the layout, to be stored; nil if there are too many properties or layouts.
    mutating func layOut(after before: Layout?) -> Layout? {
        let fields = properties.map { property in
            let entry = before?.entries.first { $0.property == property.number }
            return Layout.Field(
                property: property.number, type: property.storedType,
                width: max(Int(entry?.width ?? 0), property.type.narrowestWidth))
        }
        guard nextLayout < .max,
            let layout = Layout(
                number: nextLayout, fields: fields, endWidth: Int(before?.endWidth ?? 1))
        else { return nil }
        currentLayout = layout.number
        nextLayout += 1
        return layout
    }
}
