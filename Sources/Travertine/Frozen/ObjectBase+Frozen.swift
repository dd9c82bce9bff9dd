import TravertineStore

/// Frozen objects, and the same object in another session.
///
/// A handle of a frozen object has its row when it is made, and nothing is written in it after
/// that. So `Persisted` reads scalars from that row on any thread (Z1, Z2). Everything else, as
/// links and collections, is read in the calling thread's session of the version
/// (`RealmSession.here`).
extension ObjectBase: ThreadConfined {
    /// Whether the object shows one version for ever, on any thread.
    public var isFrozen: Bool { session?.isFrozen ?? false }

    /// The same object as another realm of the store shows it; nil if it is not there.
    public func _shown(in realm: Realm) -> Self? {
        guard let session else { return nil }
        let target = realm.session.here
        if target === session { return self }
        return target.shown(self).map { unsafeDowncast($0, to: Self.self) }
    }

    /// Of a frozen object that belongs to another thread, the same object for this thread; nil in
    /// every other case.
    @inline(__always)
    final var elsewhere: Self? {
        guard let session, session.isFrozenElsewhere else { return nil }
        return unsafeDowncast(counterpart(in: session.here), to: Self.self)
    }

    /// A handle of a frozen object in another session of the version.
    @inline(never)
    final func counterpart(in session: RealmSession) -> ObjectBase {
        guard let shown = session.shown(self) else {
            misuse("The frozen \(table.className) can't be read: its type is not in the realm.")
        }
        return shown
    }
}

extension RealmSession {
    /// A new handle of what an object of another session of the store is here; nil if it is not
    /// here. A frozen one has its row from the start, and nothing is written in it after that.
    func shown(_ object: ObjectBase) -> ObjectBase? {
        guard let table = table(matching: object.table), !table.isGone else { return nil }
        let shown = type(of: object).newInstance()
        do {
            if isFrozen {
                let known = snapshot === object.session?.snapshot ? object.foundRow : nil
                guard let row = try known ?? access.value(forKey: object.key, in: table.rows)
                else { return nil }
                shown.bind(to: self, table, key: object.key, row: row)
            } else {
                guard try hasRow(object.key, in: table) else { return nil }
                shown.bind(to: self, table, key: object.key)
                if table.hasUnwrappedProperties { shown.bindUnwrappedProperties() }
            }
        } catch {
            damage = error
            return nil
        }
        return shown
    }
}

extension ObjectBase {
    /// The row that was found of the object in the snapshot that its session shows; nil if it must
    /// be looked up.
    fileprivate final var foundRow: UnsafeRawBufferPointer? {
        guard let session, rowGeneration == session.generation.pointee.number, _row != nil else {
            return nil
        }
        return UnsafeRawBufferPointer(start: _row, count: _rowByteCount)
    }
}
