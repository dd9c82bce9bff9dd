/// One change that the page has collected.
struct Change: Decodable, Sendable {
    /// What is done. Of one request the changes are made in this order, so that positions are those
    /// that were shown.
    enum Kind: String, Decodable, CaseIterable {
        /// A property, an element or the value of an entry gets another value.
        case set
        /// An element is put at the end of its collection, or an entry into its map.
        case insert
        /// An element or an entry is taken out of its collection.
        case remove
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

    /// The changes in the order in which they are made: what is taken out comes from the last place
    /// to the first, and from the inner to the outer.
    var inOrder: [Change] {
        Change.Kind.allCases.flatMap { kind in
            let changes = changes.filter { $0.kind == kind }
            guard kind == .remove else { return changes }
            return changes.sorted { Self.precedes($1.path ?? [], $0.path ?? []) }
        }
    }

    /// Whether a path leads to a place before that of another, or to what contains it.
    private static func precedes(_ left: [String], _ right: [String]) -> Bool {
        for (left, right) in zip(left, right) where left != right {
            guard let first = Int(left), let second = Int(right) else { return left < right }
            return first < second
        }
        return left.count < right.count
    }
}

/// The commit that is undone.
struct UndoRequest: Decodable, Sendable {
    var number: Int
}
