/// One change that the page has collected.
struct Change: Decodable, Sendable {
    /// What is done. Of one request the changes are made in this order, so that positions are those
    /// that were shown.
    enum Kind: String, Decodable, CaseIterable {
        /// A property, an element or the value of an entry gets another value.
        case set
        /// An element or an entry is taken out of its collection.
        case remove
        /// An element is put at the end of its collection, or an entry into its map.
        case insert
        /// An object is added.
        case add
        /// An object is deleted.
        case delete
    }

    var kind: Kind
    var type: String
    /// The address of the object; none where one is added.
    var id: String?
    /// Names of properties, positions in lists and keys of maps, from the object on. For an element
    /// that is put at the end of a list or set, the last step is not looked at.
    var path: [String]?
    /// The value that was shown, and the new one, as texts (`ValueParser`); nil stands for null.
    var before: String?
    var value: String?
    /// The values of an object that is added, by the names of its properties.
    var values: [String: String]?
}

/// Changes that are committed together.
struct ChangesRequest: Decodable, Sendable {
    var changes: [Change]

    static let changeCount = 500

    /// The changes in the order in which they are made: elements of a list are taken out from its
    /// end on.
    var inOrder: [Change] {
        Change.Kind.allCases.flatMap { kind in
            let changes = changes.filter { $0.kind == kind }
            guard kind == .remove else { return changes }
            return changes.sorted { position($0) > position($1) }
        }
    }

    private func position(_ change: Change) -> Int {
        change.path?.last.flatMap { Int($0) } ?? -1
    }
}

/// The commit that is undone.
struct UndoRequest: Decodable, Sendable {
    var number: Int
}
