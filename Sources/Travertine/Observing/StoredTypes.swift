import Locks
import OrderedIndex
import TravertineStore

/// The stored types as of one version of the schema, for what needs no class. Immutable, and shared
/// between threads.
final class StoredTypes: Sendable {
    let schema: StoredSchema
    private let descriptions: [UInt32: TypeDescription]

    /// The types that a version has; none where nothing was stored yet.
    init(_ access: ReadAccess, schemaKeyspace: KeyspaceID) throws {
        schema = try StoredSchema.load(access, keyspace: schemaKeyspace) ?? StoredSchema()
        descriptions = Dictionary(
            schema.types.map { ($0.number, TypeDescription($0, classInfo: nil)) }
        ) { first, _ in first }
    }

    /// The type with a number; nil if this version has none.
    subscript(number: UInt32) -> TypeDescription? { descriptions[number] }

    /// The numbers of all types, ascending.
    var numbers: [UInt32] { descriptions.keys.sorted() }

    /// Some types, and those that their links lead to, at any distance. A link that can lead to
    /// objects of several types leads to all.
    func reachable(from numbers: some Sequence<UInt32>) -> Set<UInt32> {
        var found: Set<UInt32> = []
        var waiting = Array(numbers)
        while let number = waiting.popLast() {
            guard found.insert(number).inserted, let type = descriptions[number] else { continue }
            for property in type.stored.properties {
                if property.type == .any { return Set(descriptions.keys).union(numbers) }
                guard property.type == .object, let target = schema.type(named: property.target)
                else { continue }
                waiting.append(target.number)
            }
        }
        return found
    }
}

/// The stored types of the version that was asked for last: the schema changes rarely.
///
/// It keeps the store object of that version, but no snapshot.
final class StoredTypesCache: Sendable {
    private struct Entry {
        let store: Store
        let root: NodeIdentity?
        let types: StoredTypes
    }

    let schemaKeyspace: KeyspaceID
    private let latest = Locked<Entry?>(nil)

    init(schemaKeyspace: KeyspaceID) { self.schemaKeyspace = schemaKeyspace }

    /// The types of a version.
    func types(of snapshot: Snapshot) throws -> StoredTypes {
        let root = try snapshot.rootIdentity(of: schemaKeyspace)
        let known = latest.withLock { $0 }
        if let known, known.store === snapshot.store, known.root == root { return known.types }
        let types = try StoredTypes(snapshot.access, schemaKeyspace: schemaKeyspace)
        latest.withLock { $0 = Entry(store: snapshot.store, root: root, types: types) }
        return types
    }
}
