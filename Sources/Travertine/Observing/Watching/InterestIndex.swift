/// Finds the observations that changes concern, at the cost of the changed types and properties and
/// of what is found, however many there are.
///
/// Observations with the same interest are in one group, found under each of its places and by the
/// one object that it may be about.
///
/// Invariants: no group is empty; the members of a group are in the order of registration; a group
/// is under exactly the places and the object of its interest, or in `unlimited`.
struct InterestIndex {
    /// The observations with one interest.
    final class Group {
        let interest: Interest
        fileprivate(set) var members: [Observation] = []

        fileprivate init(_ interest: Interest) { self.interest = interest }
    }

    /// One of the things that can differ in a type.
    private struct Place: Hashable {
        let type: UInt32
        let property: UInt32

        /// Insertions and deletions.
        static func membership(_ type: UInt32) -> Place { Place(type: type, property: .max) }
        /// Anything.
        static func all(_ type: UInt32) -> Place { Place(type: type, property: .max - 1) }
    }

    private var groups: [Interest: Group] = [:]
    private var groupsByPlace: [Place: [Group]] = [:]
    private var groupsByObject: [UInt32: [UInt64: [Group]]] = [:]
    private var unlimited: Group?

    /// Adds an observation; returns its group.
    mutating func insert(_ observation: Observation, _ interest: Interest) -> Group {
        let group = groups[interest] ?? makeGroup(interest)
        let place = group.members.partitioningIndex { $0.number >= observation.number }
        assert(place == group.members.count || group.members[place] !== observation)
        group.members.insert(observation, at: place)
        return group
    }

    private mutating func makeGroup(_ interest: Interest) -> Group {
        let group = Group(interest)
        groups[interest] = group
        if interest.isUnlimited { unlimited = group }
        for place in Self.places(of: interest) { groupsByPlace[place, default: []].append(group) }
        if let object = interest.object {
            groupsByObject[object.type, default: [:]][object.key, default: []].append(group)
        }
        return group
    }

    /// Removes an observation from its group.
    mutating func remove(_ observation: Observation, from group: Group) {
        let place = group.members.partitioningIndex { $0.number >= observation.number }
        precondition(group.members[place] === observation, "an observation is not in its group")
        group.members.remove(at: place)
        guard group.members.isEmpty else { return }
        groups[group.interest] = nil
        if group.interest.isUnlimited { unlimited = nil }
        for place in Self.places(of: group.interest) {
            groupsByPlace[place]?.removeAll { $0 === group }
            if groupsByPlace[place]?.isEmpty ?? false { groupsByPlace[place] = nil }
        }
        if let object = group.interest.object { remove(group, of: object) }
    }

    private mutating func remove(_ group: Group, of object: Interest.ObservedObject) {
        guard var ofType = groupsByObject.removeValue(forKey: object.type) else { return }
        ofType[object.key]?.removeAll { $0 === group }
        if ofType[object.key]?.isEmpty ?? false { ofType[object.key] = nil }
        if !ofType.isEmpty { groupsByObject[object.type] = ofType }
    }

    private static func places(of interest: Interest) -> [Place] {
        if interest.isUnlimited { return [] }
        return interest.types.flatMap { type, counting in
            var places = counting.properties.all.map { Place(type: type, property: $0) }
            if counting.includesMembership { places.append(.membership(type)) }
            if counting.includesAll { places.append(.all(type)) }
            return places
        }
    }

    /// Whether what a transaction noted can concern an observation.
    func isConcerned(by note: ChangeNote) -> Bool {
        if note.types.isEmpty { return false }
        if note.hasReplacements || unlimited != nil { return true }
        if groupsByPlace.isEmpty, groupsByObject.isEmpty { return false }
        return note.types.contains { isConcerned(by: $0, lacksEvents: note.lacksEvents) }
    }

    private func isConcerned(by noted: ChangeNote.OfType, lacksEvents: Bool) -> Bool {
        let type = noted.number
        func has(_ place: Place) -> Bool { groupsByPlace[place] != nil }
        if has(.all(type)) || noted.hasMembership && has(.membership(type)) { return true }
        if noted.properties.contains(where: { has(Place(type: type, property: $0)) }) {
            return true
        }
        guard let observed = groupsByObject[type] else { return false }
        return lacksEvents || noted.events.contains { observed[$0.key] != nil }
    }

    /// The observations that changes concern, in no order.
    func observations(concernedBy changes: ObjectChanges) -> [Observation] {
        if changes.types.isEmpty { return [] }
        var found = unlimited?.members ?? []
        var seen: Set<ObjectIdentifier> = []
        func take(_ groups: [Group]) {
            for group in groups where seen.insert(ObjectIdentifier(group)).inserted {
                found += group.members
            }
        }
        func take(_ place: Place) { take(groupsByPlace[place] ?? []) }
        for (type, changed) in changes.types {
            take(.all(type))
            if !changed.inserted.isEmpty || !changed.deleted.isEmpty { take(.membership(type)) }
            var numbers = PropertyNumbers()
            for modified in changed.modified { numbers.formUnion(modified.properties) }
            for number in numbers.all { take(Place(type: type, property: number)) }
            if let groups = groupsByObject[type] { changed.forEach(of: groups, take) }
        }
        return found
    }
}

extension ObjectChanges.OfType {
    /// Calls `body` with what stands for the objects that changed, at the cost of the fewer ones.
    fileprivate func forEach<Value>(of values: [UInt64: Value], _ body: (Value) -> Void) {
        if values.count < inserted.count + deleted.count + modified.count {
            for (key, value) in values
            where modified(key) != nil || inserted.contains(sorted: key)
                || deleted.contains(sorted: key)
            {
                body(value)
            }
            return
        }
        func take(_ key: UInt64) { if let value = values[key] { body(value) } }
        for key in inserted { take(key) }
        for key in deleted { take(key) }
        for object in modified { take(object.key) }
    }
}
