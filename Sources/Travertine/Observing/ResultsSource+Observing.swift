/// Whether a collection can have other elements than before.
extension ResultsSource {
    /// Whether the elements, or their order, may differ between the versions of a step.
    func mayDiffer(in step: VersionStep) throws -> Bool {
        switch origin {
        case .collection(let storage):
            return step.changed(storage.property.number, of: storage.key, in: storage.table)
        case .backlinks(let backlinks):
            if step.changes(of: backlinks.table)?.deleted.contains(sorted: backlinks.key) ?? false {
                return true
            }
            return try step.session.tables(ofClassesFrom: backlinks.origin).contains { source in
                guard let slot = source.slot(named: backlinks.originProperty) else { return false }
                let origin = ObjectChanges.Origin(
                    type: source.stored.number, property: source.properties[slot].number)
                return try step.targetsOfChangedLinks(origin, backlinks.table)
                    .contains(backlinks.key)
            }
        }
    }
}

extension VersionStep {
    /// Whether a property of an object differs, or the object is in one of the versions only.
    func changed(_ property: UInt32, of key: UInt64, in table: TableState) -> Bool {
        guard let changes = changes(of: table) else { return false }
        if changes.deleted.contains(sorted: key) || changes.inserted.contains(sorted: key) {
            return true
        }
        return changes.modified(key)?.properties.contains(property) ?? false
    }
}

extension ObjectChanges.OfType {
    /// The changes of an object that both versions have.
    func modified(_ key: UInt64) -> ObjectChanges.Modified? {
        let place = modified.partitioningIndex { $0.key >= key }
        return place < modified.count && modified[place].key == key ? modified[place] : nil
    }
}

/// What is in values that are lists or dictionaries themselves.
extension ResultsSource {
    var isList: Bool {
        if case .collection(let storage) = origin { return storage.run.collection == .list }
        return false
    }

    /// What the list or dictionary has that a value is; nil for other values.
    func contents(of raw: _RawValue) throws -> RawConstant? {
        guard case .collection(let storage) = origin else { return nil }
        return try storage.contents(of: raw)
    }
}

extension CollectionStorage {
    /// What the list or dictionary at this place has, with those in it, as bytes that are equal for
    /// equal contents; nil for other values.
    func contents(of raw: _RawValue) throws -> RawConstant? {
        guard run.type == .any, !property.isVarying, case .bytes(let bytes) = raw,
            case .collection(let kind, let number) = MixedCode.reference(in: bytes)
        else { return nil }
        let inner = nested(kind, number)
        var contents: [UInt8] = []
        try inner.visitElements { element in
            inner.run.append(key: element.key, element.value, to: &contents)
            if case .bytes(let nested)? = try inner.contents(of: element.value) {
                contents += nested
            }
            return true
        }
        return .bytes(contents)
    }
}
