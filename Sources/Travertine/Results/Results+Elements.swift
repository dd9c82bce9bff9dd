import TravertineStore

/// How results make elements of what was found.
extension Results {
    /// The elements of a managed collection; stops for an unmanaged one.
    init(of anchor: CollectionAnchor?, _ kind: String) {
        guard let anchor else { stopForUnmanaged(kind) }
        let storage = anchor.storage
        let source = ResultsSource(storage, of: Element.self)
        var table: TableState? = storage.table
        if source.isDynamic {
            table = storage.session.table(named: storage.property.target)
        } else if source.element == nil {
            table = storage.session.table(of: Element._objectType)
        }
        guard let table else {
            misuse(
                "Object type '\(storage.property.target)' is not in the realm's schema.")
        }
        self.init(ResultsState(storage.session, table, nil, [], source: source))
    }

    /// A handle for an object of another table than the results' own.
    func newHandle(_ table: TableState) -> ObjectBase {
        Element._objectType is DynamicObject.Type ? DynamicObject() : table.info.type.newInstance()
    }

    /// The element of a collection that a found row is of.
    func element(at row: FoundRow) -> Element {
        let found = state.read(nil) {
            try state.source?.element(Element.self, at: Int(row.key))
        }
        return found ?? ._blank
    }

    /// Every element, where not each is the handle of a row.
    func elements() -> [Element] {
        state.read([]) {
            let rows = try state.all()
            guard let source = state.source, source.element != nil else {
                return rows.compactMap(makeIfPossible)
            }
            let elements = try source.elements(Element.self)
            return rows.compactMap { row in
                let position = Int(row.key)
                return position < elements.count ? elements[position] : nil
            }
        }
    }
}

/// Stops: conditions on unmanaged collections are not possible.
func stopForUnmanaged(_ kind: String) -> Never {
    misuse(
        "This is possible for a managed \(kind) only: add the object that it belongs to to a realm "
            + "first.")
}

extension Results: RealmCollection {
    /// The results themselves.
    public var _results: Results { self }

    /// The position of an element, or nil: of a handle of the same object, or of an equal value.
    public func index(of element: Element) -> Int? {
        guard state.areRows, let object = element._object else {
            return firstIndex { isSameElement($0, element) }
        }
        return state.read(nil) {
            guard state.session.isSame(as: object.session) else { return nil }
            let type = object.table.stored.number
            return try state.all().firstIndex {
                $0.key == object.key && state.table(of: $0).stored.number == type
            }
        }
    }

    /// The elements in another order; equal ones stay in the order that they have.
    ///
    /// Stops for a name that the type lacks, and for what has no order: a collection or an object.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results {
        Results(state.arranged(byNamesOf: .sorted(Array(descriptors))))
    }

    /// Of elements with equal values of properties, by their names, the first one only.
    ///
    /// Stops for a name that the type lacks, and for a path to or through a collection.
    public func distinct(by keyPaths: some Sequence<String>) -> Results {
        Results(state.arranged(byNamesOf: .distinct(Array(keyPaths))))
    }
}

/// Whether two elements are handles of one object, or equal values.
func isSameElement<Element: RealmCollectionValue>(_ first: Element, _ second: Element) -> Bool {
    if let object = first._object { return object.isSameObject(as: second._object) }
    if case .object(let object) = first as? AnyRealmValue,
        case .object(let other) = second as? AnyRealmValue
    {
        return object.isSameObject(as: other)
    }
    return first == second
}

extension Results: Equatable {
    /// Whether both are the same results, made by one call.
    public static func == (left: Results, right: Results) -> Bool { left.base === right.base }
}
