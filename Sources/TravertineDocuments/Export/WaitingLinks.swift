import Travertine

/// The links that wait for their targets, if there are any.
final class WaitingLinks {
    private let resolver: LinkResolver
    private var areThere = false

    init(_ realm: Realm) { resolver = LinkResolver(realm) }

    /// Checks whether there are any: before objects are written.
    func look() throws { areThere = try resolver.hasAny() }

    func links(of row: StoredRow, _ type: RowType) throws -> [UnresolvedLink] {
        areThere ? try resolver.links(from: type.name, key: row.key) : []
    }
}
