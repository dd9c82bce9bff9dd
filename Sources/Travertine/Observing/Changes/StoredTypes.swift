import Locks
import OrderedIndex
import Synchronization
import TravertineStore

/// The stored types as of one version of the schema, for what needs no class. Immutable, and shared
/// between threads.
final class StoredTypes: Sendable {
    private static let numbers = Atomic<UInt64>(0)

    let schema: StoredSchema
    /// That of no other.
    let number: UInt64
    /// What `linkingProperties(to:)` found.
    private let linking = Locked<[String: [(type: UInt32, property: UInt32)]]>([:])
    private let descriptions: [UInt32: TypeDescription]

    /// The types that a version has; none where nothing was stored yet.
    init(_ access: ReadAccess, schemaKeyspace: KeyspaceID) throws {
        number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
        schema = try StoredSchema.load(access, keyspace: schemaKeyspace) ?? StoredSchema()
        descriptions = Dictionary(
            schema.types.map { ($0.number, TypeDescription($0, classInfo: nil)) }
        ) { first, _ in first }
    }

    /// The type with a number; nil if this version has none.
    subscript(number: UInt32) -> TypeDescription? { descriptions[number] }

    /// The numbers of all types, ascending.
    var numbers: [UInt32] { descriptions.keys.sorted() }

    /// The properties that link to a type.
    func linkingProperties(to name: String) -> [(type: UInt32, property: UInt32)] {
        linking.withLock { linking in
            if let known = linking[name] { return known }
            let found = schema.linkingProperties(to: name)
            linking[name] = found
            return found
        }
    }

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

/// The stored types of the versions that were asked for last: the schema changes rarely, but realms
/// of several threads may show versions before and after a change.
///
/// It keeps no snapshot, and no store.
final class StoredTypesCache: Sendable {
    private struct Entry {
        weak var store: Store?
        let root: NodeIdentity?
        let types: StoredTypes
    }

    private static let entryCountMax = 4

    let schemaKeyspace: KeyspaceID
    /// The newest last.
    private let entries = Locked<[Entry]>([])

    init(schemaKeyspace: KeyspaceID) { self.schemaKeyspace = schemaKeyspace }

    /// The types of a version.
    func types(of snapshot: Snapshot) throws -> StoredTypes {
        let root = try snapshot.rootIdentity(of: schemaKeyspace)
        let known = entries.withLock { entries in
            entries.last { $0.root == root && $0.store === snapshot.store }?.types
        }
        if let known { return known }
        let types = try StoredTypes(snapshot.access, schemaKeyspace: schemaKeyspace)
        let released = entries.withLock { entries in
            let before = entries
            entries.removeAll { $0.store == nil }
            if entries.count == Self.entryCountMax { entries.removeFirst() }
            entries.append(Entry(store: snapshot.store, root: root, types: types))
            return before
        }
        withExtendedLifetime(released) {}
        return types
    }
}
