import RealmSwift

class ObservedOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var pets: List<ObservedPet>
    @Persisted var favourite: ObservedPet?
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var byName: Map<String, ObservedPet?>
    @Persisted var any: AnyRealmValue
    @Persisted var address: ObservedAddress?
    @Persisted var next: ObservedOwner?
    var ignored = 0
}

class ObservedPet: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "pets") var owners: LinkingObjects<ObservedOwner>
}

class ObservedAddress: EmbeddedObject {
    @Persisted var city: String
}

class ObservedOwnerView: Projection<ObservedOwner> {
    @Projected(\ObservedOwner.name) var title
    @Projected(\ObservedOwner.favourite?.name) var favouriteName
    @Projected(\ObservedOwner.pets.projectTo.name) var petNames: ProjectedCollection<String>
}

/// What blocks were notified of, as texts.
final class Reports {
    private(set) var all: [String] = []

    func note(_ text: String) { all.append(text) }

    /// What was reported since the last call.
    func take() -> [String] {
        defer { all = [] }
        return all
    }

    func note<Base>(_ change: RealmCollectionChange<Base>, _ name: String = "") {
        let name = name.isEmpty ? "" : name + ": "
        switch change {
        case .initial: note(name + "initial")
        case .update(_, let deletions, let insertions, let modifications):
            note(name + "-\(deletions) +\(insertions) ~\(modifications)")
        case .error(let error): note(name + "\(error)")
        }
    }

    func note<Base>(_ change: ObjectChange<Base>) {
        switch change {
        case .change(_, let properties): note(properties.map(\.name).joined(separator: ","))
        case .deleted: note("deleted")
        case .error(let error): note("\(error)")
        }
    }

    func note<Base>(_ change: RealmMapChange<Base>) {
        switch change {
        case .initial: note("initial")
        case .update(_, let deletions, let insertions, let modifications):
            note(
                "-\(deletions.map { "\($0)" }) +\(insertions.map { "\($0)" }) "
                    + "~\(modifications.map { "\($0)" })")
        case .error(let error): note("\(error)")
        }
    }

    func note<Base>(_ change: SectionedResultsChange<Base>) {
        switch change {
        case .initial: note("initial")
        case .update(
            _, let deletions, let insertions, let modifications, let inserted, let deleted):
            func texts(_ paths: [some Collection<Int>]) -> [[Int]] { paths.map { Array($0) } }
            note(
                "-\(texts(deletions)) +\(texts(insertions)) ~\(texts(modifications)) "
                    + "sections -\(deleted) +\(inserted)")
        }
    }
}
