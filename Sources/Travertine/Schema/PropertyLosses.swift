import TravertineStore

/// Counts the values that changed properties have no place for.
extension RealmSession {
    /// A sentence for each property whose change would lose something. Reads the rows of the types
    /// that have such changes, and no others.
    ///
    /// - Parameter isCounted: whether an object counts, by its type's number and its key.
    func losses(
        of changed: [ChangedProperty], isCounted: (UInt32, UInt64) throws -> Bool = { _, _ in true }
    ) throws -> [String] {
        var sentences: [String] = []
        for property in changed where property.conversion?.mayLose ?? true {
            guard let table = try tableWithoutClass(number: property.typeNumber),
                let slot = table.slot(ofProperty: property.property.number)
            else { continue }
            var losses = PropertyLosses()
            try scan(table) { key, row in
                guard try isCounted(property.typeNumber, key) else { return true }
                let value = table.value(at: slot, in: row, try table.binding(of: row))
                try losses.count(
                    value, of: CollectionStorage(self, table, key, slot), property.conversion)
                return true
            }
            sentences += losses.sentence.map { [property.change + $0] } ?? []
        }
        return sentences
    }
}

/// What the objects of a type have that a change of one property would lose.
private struct PropertyLosses {
    /// Objects that have a value, or an element, that is removed.
    private var objectCount = 0
    private var nilCount = 0
    private var roundedCount = 0
    private var nestedCount = 0
    /// Whether whole values go.
    private var isWhole = false

    mutating func count(
        _ value: _RawValue, of storage: CollectionStorage, _ conversion: PropertyConversion?
    ) throws {
        guard let conversion else {
            isWhole = true
            if hasValue(value, storage.property) { objectCount += 1 }
            return
        }
        let before = nilCount + roundedCount + nestedCount
        if storage.property.collection == .none {
            if hasValue(value, storage.property) { note(value, conversion) }
        } else {
            try storage.visit {
                note($0, conversion)
                return true
            }
        }
        if nilCount + roundedCount + nestedCount > before { objectCount += 1 }
    }

    private func hasValue(_ value: _RawValue, _ property: StoredProperty) -> Bool {
        switch value {
        case .null: false
        case .word: true
        case .bytes(let bytes):
            property.collection != .none
                ? CollectionPiece(bytes).count > 0 : property.type != .any || !bytes.isEmpty
        }
    }

    private mutating func note(_ raw: _RawValue, _ conversion: PropertyConversion) {
        if conversion.drops(raw) {
            if case .null = raw { nilCount += 1 } else { nestedCount += 1 }
        }
        if conversion.rounds(raw) { roundedCount += 1 }
    }

    /// What is lost, in words; nil if nothing is.
    var sentence: String? {
        if objectCount == 0 { return nil }
        let objects = objectCount == 1 ? "1 object" : "\(objectCount) objects"
        if isWhole {
            return ": \(objects) \(objectCount == 1 ? "has" : "have") a value that would be lost."
        }
        var parts: [String] = []
        if nilCount > 0 { parts.append("\(Self.elements(nilCount)) nil") }
        if roundedCount > 0 { parts.append("\(Self.values(roundedCount)) no double exactly") }
        if nestedCount > 0 {
            parts.append("\(Self.values(nestedCount)) a list or dictionary, which no set holds")
        }
        return ": in \(objects), \(parts.joined(separator: ", and "))."
    }

    private static func elements(_ count: Int) -> String {
        count == 1 ? "1 element is" : "\(count) elements are"
    }

    private static func values(_ count: Int) -> String {
        count == 1 ? "1 value is" : "\(count) values are"
    }
}

extension ChangedProperty {
    /// The change in words, without a full stop.
    fileprivate var change: String {
        SchemaComparison.change(of: property, to: declared, typeName: typeName)
    }
}
