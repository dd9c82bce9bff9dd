/// The objects that link to an object by a property.
struct Backlinks {
    let session: RealmSession
    let table: TableState
    let key: UInt64
    let originProperty: String
    /// The class of the objects that link.
    let origin: ObjectBase.Type

    /// The objects by table and key, each as often as it links: those of the class first, then
    /// those of derived classes.
    func links() throws -> [(table: TableState, key: UInt64)] {
        if let cached = session.found.backlinks, cached.areValid(for: self) { return cached.links }
        let links = try findLinks()
        session.found.backlinks = CachedBacklinks(self, links)
        return links
    }

    private func findLinks() throws -> [(table: TableState, key: UInt64)] {
        var found: [(table: TableState, key: UInt64)] = []
        for source in session.tables(ofClassesFrom: origin) {
            guard let slot = source.slot(named: originProperty) else { continue }
            for (key, count) in try session.backlinks(to: key, in: table, source.properties[slot]) {
                session.noteVisit(.link)
                for _ in 0..<count { found.append((source, key)) }
            }
        }
        return found
    }
}

/// The links to one object by one property as they were last found, so that a loop over the
/// positions of `LinkingObjects` finds them once, also where it changes other properties of the
/// objects. They are valid while no link and no object is added or removed and the realm shows the
/// same state.
struct CachedBacklinks {
    private let table: UInt32
    private let key: UInt64
    private let originProperty: String
    private let origin: ObjectIdentifier
    private let linkChangeCount: UInt64
    private let membershipCount: UInt64
    /// How many classes were open: links of a derived class count once it is.
    private let classCount: Int
    let links: [(table: TableState, key: UInt64)]

    init(_ backlinks: Backlinks, _ links: [(table: TableState, key: UInt64)]) {
        table = backlinks.table.stored.number
        key = backlinks.key
        originProperty = backlinks.originProperty
        origin = ObjectIdentifier(backlinks.origin)
        linkChangeCount = backlinks.session.counts.linkChangeCount
        membershipCount = backlinks.session.counts.membershipCount
        classCount = backlinks.session.openedClassCount
        self.links = links
    }

    /// Whether looking for backlinks now would find these.
    func areValid(for other: Backlinks) -> Bool {
        linkChangeCount == other.session.counts.linkChangeCount
            && membershipCount == other.session.counts.membershipCount
            && classCount == other.session.openedClassCount
            && key == other.key && table == other.table.stored.number
            && origin == ObjectIdentifier(other.origin) && originProperty == other.originProperty
    }
}
