import TravertineStore

/// Which objects changed between two versions: what differs between the two states, by type.
///
/// A value set to itself, or changed and changed back, is no change; nor is what compaction moves,
/// or a row that was written again in another layout. An object that was deleted and added again
/// under the same key is modified. A large collection, or one inside a value of any type, counts as
/// changed if one of its nodes did.
///
/// Types and properties are named by their numbers: nothing here needs a class. The cost is that of
/// the difference of the two versions; if nothing changed, a comparison for each type.
struct ObjectChanges: Equatable {
    /// An object that both versions have.
    struct Modified: Equatable {
        let key: UInt64
        /// The properties whose values differ, or whose collections do.
        var properties: PropertyNumbers
        /// The properties that own an embedded object which is modified itself, or owns one.
        var owned = PropertyNumbers()
    }

    /// The changes of one type's objects; keys ascend.
    struct OfType: Equatable {
        var inserted: [UInt64] = []
        var deleted: [UInt64] = []
        var modified: [Modified] = []

        var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
    }

    /// A property that links.
    struct Origin: Hashable {
        let type: UInt32
        let property: UInt32
    }

    /// How often an object links to another by one property, where that changed: 0 for not at all.
    struct Link: Equatable {
        let targetType: UInt32
        let target: UInt64
        let source: UInt64
        let oldCount: UInt64
        let newCount: UInt64
    }

    /// By the number of the type; types without changes are not there.
    var types: [UInt32: OfType] = [:]
    /// By the property that links, for those that were asked for, in the order of type and key of
    /// the targets, then of the sources; properties without changes are not there.
    var links: [Origin: [Link]] = [:]

    /// No changes.
    init() {}

    /// Finds the changes from one version to another of one store.
    ///
    /// - Parameters:
    ///   - numbers: the types that are looked at; nil for all. Owners of embedded objects are found
    ///     among them.
    ///   - origins: the properties whose links are compared; nil for all.
    ///   - cache: what is known of the stored types.
    /// - Throws: `StoreError` with code `.damaged` where a page or record on the way is damaged,
    ///   and `.misuse` for versions of two stores; `Realm.Error.invalidDatabase` for a row that
    ///   contradicts its layout.
    init(
        from older: Snapshot, to newer: Snapshot, types numbers: Set<UInt32>? = nil,
        links origins: Set<Origin>? = [], cache: StoredTypesCache
    ) throws {
        if older === newer || older.isSameVersion(as: newer) { return }
        let oldTypes = try cache.types(of: older)
        let newTypes = try cache.types(of: newer)
        let comparison = VersionComparison(
            older: older, newer: newer, oldTypes: oldTypes, newTypes: newTypes,
            schemaKeyspace: cache.schemaKeyspace)
        for number in Set(oldTypes.numbers).union(newTypes.numbers)
        where numbers?.contains(number) ?? true {
            let changes = try comparison.changes(ofType: number)
            if !changes.isEmpty { types[number] = changes }
        }
        try addOwners(comparison, among: numbers)
        try addLinks(comparison, of: origins)
    }

    var isEmpty: Bool { types.isEmpty && links.isEmpty }
}
