import Travertine

/// Documents that are held back until the objects are there that their required links lead to.
extension DocumentImporter {
    /// Holds the document back if a required link of it has no target; false if none lacks one.
    func hold(as position: Int) -> Bool {
        guard holdsDocuments, !object.missing.isEmpty, let document = filledDocument,
            let own = own(document, at: position)
        else { return false }
        // A link to the object itself has its target as soon as it is stored.
        let missing = object.missing.filter { $0.target != own }
        if missing.isEmpty { return false }
        held.hold(
            HeldDocument(position: position, document: document, own: own, missing: missing))
        return true
    }

    /// The object that a document makes.
    ///
    /// Nothing leads to one without key, so that the document's position may identify it.
    func own(_ document: Document, at position: Int) -> LinkTarget? {
        guard let slot = plan.type.keySlot else {
            return LinkTarget(plan.type.name, withUnsafeBytes(of: position) { Array($0) })
        }
        guard let value = document[plan.type.fields[slot].name] else { return nil }
        let type = plan.type.fields[slot].type
        return value.withKey(type) { raw in
            LinkTarget(plan.type.name, LinkResolver.targetKey(raw, type))
        }
    }

    /// Sets the links that wait for objects which came by other ways, in a write transaction, and
    /// stores the documents that were held back, if all that they need is there or among them; the
    /// others are in `heldRefusals` then.
    ///
    /// - Returns: how many links were set.
    @discardableResult
    public func resolveLinks() throws -> Int {
        let resolvedCount = try resolver.resolveAll()
        // An error may have left some over.
        while let next = readyDocuments.popLast() { held.hold(next) }
        let holds = holdsDocuments
        holdsDocuments = false
        defer { holdsDocuments = holds }
        while held.count > 0 { try storeHeld() }
        return resolvedCount
    }

    /// Stores what is held back, each group that needs itself as a whole, and refuses what lacks a
    /// target; the rest of a group of which one is refused is held again, to be looked at anew.
    private func storeHeld() throws {
        let (groups, refused) = try held.takeAll(isThere)
        for (held, missing) in refused {
            refuse(held, DocumentRefusal([problem(missing)]))
        }
        var rest: [HeldDocument] = []
        for group in groups {
            guard let index = try store(group) else { continue }
            rest += group[..<index] + group[(index + 1)...]
        }
        for held in rest { self.held.hold(held) }
    }

    /// Stores documents that need each other: all, or none if one is refused.
    ///
    /// - Returns: which was refused.
    private func store(_ group: [HeldDocument]) throws -> Int? {
        let counts = (insertedCount, replacedCount, plans.fieldCounts)
        var index = 0
        do {
            try realm.savepoint {
                while index < group.count {
                    try fill(group[index].document)
                    try storeOne()
                    index += 1
                }
            }
            return nil
        } catch let refusal as DocumentRefusal {
            (insertedCount, replacedCount, plans.fieldCounts) = counts
            refuse(group[index], refusal)
            return index
        }
    }

    /// What is wrong with a document whose required link leads nowhere.
    func problem(_ missing: MissingTarget) -> DocumentProblem {
        let key = key(of: missing.target).map { ": " + $0.shortText } ?? ""
        return DocumentProblem(
            path: missing.path,
            reason: "the required link leads to a \(missing.target.type) that is not there\(key)")
    }

    /// The primary key that a link names.
    func key(of target: LinkTarget) -> AnyBSON? {
        guard let type = plans.type(target.type), let keySlot = type.keySlot else { return nil }
        return LinkResolver.withRaw(target.key) { AnyBSON(key: $0, type.fields[keySlot].type) }
    }

    func refuse(_ held: HeldDocument, _ refusal: DocumentRefusal) {
        heldRefusals.append(HeldRefusal(position: held.position, refusal: refusal))
    }

    /// The links of all types that wait for objects which are not there, by property.
    ///
    /// - Parameter keyCountMax: how many keys of such objects are named for each property.
    public func linksWithoutTarget(keyCountMax: Int = 5) throws -> [LinksWithoutTarget] {
        var found: [LinksWithoutTarget] = []
        try resolver.forEachLink { link in
            LinksWithoutTarget.note(
                (link.source, link.property, link.target),
                key(of: LinkTarget(link.target, link.targetKey)), in: &found, keyCountMax)
        }
        return found
    }

    func isThere(_ target: LinkTarget) throws -> Bool {
        guard let type = plans.type(target.type) else { return false }
        return try LinkResolver.withRaw(target.key) { try type.key(forPrimaryKey: $0) } != nil
    }
}
