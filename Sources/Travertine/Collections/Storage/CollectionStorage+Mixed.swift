/// A list or dictionary inside a value of any type.
struct Nesting: Equatable {
    var kind: CollectionKind
    /// The collection's number within its object and property.
    var number: UInt32
    /// How deep it stands; 1 in a property, and in an element of a property's collection 2.
    var depth: Int
}

/// Values of any type: what they hold beside plain data is counted and owned.
extension CollectionStorage {
    private var depth: Int { nesting?.depth ?? (property.collection == .none ? 0 : 1) }

    /// A collection that a value at this place names.
    func nested(_ kind: CollectionKind, _ number: UInt32) -> CollectionStorage {
        var storage = self
        storage.nesting = Nesting(kind: kind, number: number, depth: depth + 1)
        return storage
    }

    // MARK: Storing

    /// The bytes for a value at this place; nil after a failure. Makes its collections.
    func encode(_ value: AnyRealmValue) throws -> [UInt8]? {
        switch value {
        case .object(let object):
            if object.session != nil, object.table.stored.isEmbedded {
                // A dynamic object may be one of an embedded type.
                throw Realm.Error(
                    .invalidInput,
                    "An object of the embedded type '\(object.table.className)' has its owner."
                        + AnyRealmValue.refusal, fileURL: session.shared.fileURL)
            }
            guard let key = session.keyForLink(to: object) else { return nil }
            return MixedCode.encode(objectOfType: object.table.stored.number, key: key)
        case .list(let list):
            return try encode(.list, list.allElements()) { list, place, batch, run in
                for element in list {
                    element._withElement(at: place) { run.append($0, to: &batch.bytes) }
                    batch.count += 1
                }
            }
        case .dictionary(let map):
            return try encode(.map, map.allEntries()) { entries, place, batch, run in
                for (key, value) in entries {
                    value._withElement(at: place) { raw in
                        Array(key.utf8).withUnsafeBytes {
                            run.append(key: $0, raw, to: &batch.bytes)
                        }
                    }
                    batch.count += 1
                }
            }
        default: return MixedCode.encode(plain: value)
        }
    }

    private func encode<Elements>(
        _ kind: CollectionKind, _ elements: Elements,
        _ append: (Elements, CollectionStorage, inout ElementBatch, ElementRun) -> Void
    ) throws -> [UInt8] {
        // A collection that holds itself twice fails once, and not on every way down.
        if let failure = session.failure { throw failure }
        guard depth < MixedCode.depthMax else {
            throw Realm.Error(
                .invalidInput,
                "Max nesting level reached: lists and dictionaries can be nested "
                    + "\(MixedCode.depthMax) levels deep.", fileURL: session.shared.fileURL)
        }
        let number = try session.unstored.nodes.takeNumber(for: owner, session)
        let place = nested(kind, number)
        var batch = ElementBatch()
        append(elements, place, &batch, place.run)
        if let failure = session.failure { throw failure }
        if kind == .map { batch = place.run.sorted(batch) }
        try session.unstored.nodes.put(try place.piece(batch), 0, of: place.owner, session)
        try place.addBacklinks(batch)
        return MixedCode.encode(kind, number: number)
    }

    // MARK: Releasing

    /// Deletes the collection, if it is one, that a stored value is, with all that it holds.
    func releaseCollection(_ bytes: UnsafeRawBufferPointer) throws {
        guard case .collection(let kind, let number) = MixedCode.reference(in: bytes) else {
            return
        }
        let place = nested(kind, number)
        guard place.depth <= MixedCode.depthMax, try place.isPresent() else { return }
        try place.removeAll(updatingRow: false)
        session.unstored.nodes.delete(0, of: place.owner)
    }

    /// Whether a stored value is a link to an object that is about to be deleted; a collection
    /// forgets such objects in itself.
    func forget(_ targets: LinkTargets, in bytes: UnsafeRawBufferPointer) throws -> Bool {
        switch MixedCode.reference(in: bytes) {
        case .object(targets.type, let target): return targets.contains(target)
        case .collection(let kind, let number):
            let place = nested(kind, number)
            if place.depth <= MixedCode.depthMax, try place.isPresent() {
                try place.removeAll(linksTo: targets)
            }
            return false
        default: return false
        }
    }
}
