/// What a managed collection is: a property of a stored object, or a collection inside its value.
struct CollectionAnchor {
    private let uncheckedStorage: CollectionStorage

    init(_ storage: CollectionStorage) { uncheckedStorage = storage }

    var session: RealmSession { uncheckedStorage.session }
    var table: TableState { uncheckedStorage.table }

    /// The stored elements; checks the thread.
    var storage: CollectionStorage { uncheckedStorage.here }

    /// The same in another session of the store; nil if it is not there.
    func shown(in session: RealmSession) -> CollectionAnchor? {
        guard let storage = uncheckedStorage.shown(in: session) else { return nil }
        let shown = CollectionAnchor(storage)
        return shown.isInvalidated ? nil : shown
    }

    /// Whether the object that the collection belongs to was deleted, or the collection itself.
    var isInvalidated: Bool {
        let storage = storage
        do {
            return try !storage.isPresent()
        } catch {
            storage.session.damage = error
            return true
        }
    }

    /// Runs a read; the realm's next throwing call throws damage (O13).
    func read<Result>(_ fallback: Result, _ body: (CollectionStorage) throws -> Result) -> Result {
        let storage = storage
        do {
            return try body(storage)
        } catch {
            storage.session.damage = error
            return fallback
        }
    }

    /// Runs a change; the commit throws a failure.
    func change<Result>(
        _ fallback: Result, _ body: (CollectionStorage) throws -> Result
    ) -> Result {
        guard session.mayChange() else { return fallback }
        do {
            let result = try body(storage)
            try session.deleteOrphans()
            return result
        } catch {
            session.fail(error)
            return fallback
        }
    }

    /// Whether both are the same property of the same object.
    func isSame(as other: CollectionAnchor) -> Bool {
        let (left, right) = (uncheckedStorage, other.uncheckedStorage)
        return left.session.isSame(as: right.session) && left.key == right.key
            && left.slot == right.slot
            && left.nesting == right.nesting
            && left.table.stored.number == right.table.stored.number
    }
}
