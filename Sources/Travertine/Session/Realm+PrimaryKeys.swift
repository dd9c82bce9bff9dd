/// Objects by many primary keys.
extension Realm {
    /// Calls `body` with each primary key and its object, nil where there is none, in the order of
    /// the keys.
    ///
    /// ```swift
    /// try realm.write {
    ///     try realm.forEachObject(ofType: City.self, forPrimaryKeys: ids) { id, city in
    ///         city?.population += 1
    ///     }
    /// }
    /// ```
    /// A look-up of one object mostly waits for memory. Here 16 are under way at once, so that
    /// their waits overlap. Handles that `body` does not keep are used again. `body` may write,
    /// also delete objects and add those whose keys come later: each object is the one that the
    /// realm shows at its turn.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - keys: of the type of the primary key, in any order; a key may come more than once. The
    ///     sequence is read up to 16 keys ahead of `body`.
    ///   - body: called once for each key.
    /// - Throws: what `body` throws, and damage.
    @inlinable
    public func forEachObject<Model: Object, Keys: Sequence>(
        ofType type: Model.Type, forPrimaryKeys keys: Keys,
        _ body: (_ key: Keys.Element, _ object: Model?) throws -> Void
    ) throws {
        let lookUp = PrimaryKeyLookUp(self, type, reusesHandles: true)
        defer { lookUp.end() }
        var iterator = keys.makeIterator()
        var ahead: [Keys.Element] = []
        ahead.reserveCapacity(PrimaryKeyLookUp.capacity)
        while true {
            while ahead.count < PrimaryKeyLookUp.capacity, let key = iterator.next() {
                lookUp.append(key)
                ahead.append(key)
            }
            if ahead.isEmpty { break }
            lookUp.start()
            for index in ahead.indices {
                let object = try lookUp.object(index)
                try body(ahead[index], object.map { unsafeDowncast($0, to: type) })
            }
            ahead.removeAll(keepingCapacity: true)
        }
        try lookUp.throwDamage()
    }

    /// The objects with primary keys, in the order of the keys; nil where there is none.
    ///
    /// Damage leaves objects out, and is thrown by the realm's next call that can.
    /// Keys are looked up together, as by ``forEachObject(ofType:forPrimaryKeys:_:)``.
    @inlinable
    public func objects<Model: Object, Keys: Sequence>(
        ofType type: Model.Type, forPrimaryKeys keys: Keys
    ) -> [Model?] {
        let lookUp = PrimaryKeyLookUp(self, type, reusesHandles: false)
        defer { lookUp.end() }
        var iterator = keys.makeIterator()
        var found: [Model?] = []
        found.reserveCapacity(keys.underestimatedCount)
        while true {
            var count = 0
            while count < PrimaryKeyLookUp.capacity, let key = iterator.next() {
                lookUp.append(key)
                count += 1
            }
            if count == 0 { return found }
            lookUp.start()
            for index in 0..<count {
                let object = lookUp.objectNotingDamage(index)
                found.append(object.map { unsafeDowncast($0, to: type) })
            }
        }
    }
}

extension PrimaryKeyLookUp {
    /// Adds a key of any type; the most common one is compared in the caller.
    @inlinable @inline(__always)
    func append<Key>(_ key: Key) {
        if Key.self == Int.self, hasIntegerKeys {
            append(integer: unsafeBitCast(key, to: Int.self))
        } else {
            append(other: key)
        }
    }
}
