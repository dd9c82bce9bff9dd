import TravertineStore

/// A way along links to a property of the object at its end.
struct LinkPath {
    struct Hop {
        var table: TableState
        var slot: Int
        /// Whether the links are the elements of a collection.
        var isCollection: Bool
    }

    /// The links that are followed, from the object that the path begins at; perhaps none.
    var hops: [Hop]
    /// The table of the last object.
    var target: TableState
    /// The last property.
    var slot: Int
}

/// Reads the values that a path of names leads to: through links, and into collections.
final class PropertyReader {
    private struct Hop {
        var table: TableState
        var slot: Int
        var isCollection: Bool
        var target: TableState
        /// Whether the hop leads from an object to those that link to it by `slot` of `target`.
        var isInverse = false
        /// The rest of the path, where each link names the type of its object.
        var rest: [String]?
        /// Of an inverse hop: the tables of classes derived from the target's.
        var derived: ArraySlice<TableState> = []
        /// The rest of the path after objects of these.
        var derivedRest: [String] = []
    }

    private let session: RealmSession
    private var hops: [Hop] = []
    private var table: TableState
    private var slot = 0
    /// The type of the values.
    private(set) var type: _StoredType
    /// Whether the value of a collection is what its row holds of it, not each element.
    private let readsPieces: Bool
    /// The hop whose links are counted, if the path ends with linking objects.
    private var counted: Hop?
    /// Whether the values are links that name the types of their objects.
    private(set) var isVarying = false
    /// Readers of the rest of the path after varying links and derived classes.
    private var continuations: [Continuation: PropertyReader] = [:]
    /// The element of a collection that the condition is on, instead of a row.
    private let element: ScannedElement?
    /// The rest of the path inside a value of any type.
    private var steps: [MixedPathStep] = []
    /// Whether a path leads straight to a value of the row.
    private var isDirect = false
    /// Whether `storage` is to be set.
    private let keepsStorage: Bool
    /// The property or collection of the value that `any` has found, to which the number of a
    /// collection in it belongs.
    @exclusivity(unchecked) private(set) var storage: CollectionStorage?

    private struct Continuation: Hashable {
        var type: UInt32
        var nameCount: Int
    }

    init(
        _ names: [String], _ start: TableState, readsPieces: Bool = false,
        element: ScannedElement? = nil, keepsStorage: Bool = false
    ) {
        self.readsPieces = readsPieces
        self.keepsStorage = keepsStorage
        self.element = element
        session = start.session
        table = start
        type = element?.type ?? _StoredType(.int)
        steps = names.compactMap { MixedPathStep($0) }
        let names = Array(names.dropLast(steps.count))
        defer {
            isDirect =
                hops.isEmpty && (readsPieces ? counted == nil : type.collection == .none)
                && steps.isEmpty && !keepsStorage && element == nil
        }
        for (position, name) in names.enumerated() {
            if position < names.count - 1 || readsPieces, var hop = inverseHop(name) {
                if position == names.count - 1 {
                    counted = hop
                    return
                }
                hop.derivedRest = Array(names[(position + 1)...])
                hops.append(hop)
                table = hop.target
                continue
            }
            guard let slot = table.slot(named: name) else {
                misuse(
                    "Property '\(name)' not found in object of type '\(table.className)'."
                        + NearNames.advice(on: name, among: table.properties.map(\.name)))
            }
            let property = table.properties[slot]
            if position == names.count - 1 {
                self.slot = slot
                type = property.storedType
                isVarying = property.isVarying
                if isVarying { type.type = .object }
                return
            }
            guard property.type == .object || property.isVarying,
                let target = session.table(named: property.target)
            else {
                misuse(
                    "Property '\(name)' of '\(table.className)' is not a link, so that nothing can "
                        + "follow it in a key path.")
            }
            hops.append(
                Hop(
                    table: table, slot: slot, isCollection: property.collection != .none,
                    target: target,
                    rest: property.isVarying ? Array(names[(position + 1)...]) : nil))
            table = target
        }
    }

    /// The hop to the objects that link to an object.
    private func inverseHop(_ name: String) -> Hop? {
        guard let inverse = table.classInfo?.inverses.first(where: { $0.name == name }),
            let source = inverse.valueType._storedType.targetClass
        else { return nil }
        let family = session.tables(ofClassesFrom: source)
        let target = family[0]
        guard let slot = target.slot(named: inverse.originProperty) else { return nil }
        return Hop(
            table: table, slot: slot, isCollection: true, target: target, isInverse: true,
            derived: family.dropFirst())
    }

    /// The slot, if the path is one property of the row itself, neither collection nor link to
    /// follow.
    var directSlot: Int? { isDirect && !readsPieces ? slot : nil }

    /// The way of a path that follows links to a property, if each link names no type.
    var linkPath: LinkPath? {
        guard !readsPieces, steps.isEmpty, element == nil, !keepsStorage, counted == nil,
            hops.allSatisfy({ !$0.isInverse && $0.rest == nil })
        else { return nil }
        return LinkPath(
            hops: hops.map {
                LinkPath.Hop(table: $0.table, slot: $0.slot, isCollection: $0.isCollection)
            }, target: table, slot: slot)
    }

    /// Whether the values are floating-point numbers or dates.
    var isReal: Bool { type.type == .double || type.type == .float || type.type == .date }

    /// The table of the objects that the path leads to; nil if it leads to values.
    var target: TableState? {
        type.type == .object ? session.table(named: table.properties[slot].target) : nil
    }

    /// The numbers that the declared type of the values has, if these are not all.
    var narrowRange: ClosedRange<Int64>? {
        guard type.type == .int, let info = table.classInfo,
            slot < info.properties.count, let range = info.properties[slot].integerRange,
            range != Int64.min...Int64.max
        else { return nil }
        return range
    }

    /// Whether the path leads through or to a collection, so that it has any number of values.
    var hasManyValues: Bool {
        type.collection != .none || hops.contains { $0.isCollection }
    }

    /// The number that a floating-point value's stored form means.
    @inline(__always)
    func number(_ word: Int64) -> Double {
        type.type == .float
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
            : Double(bitPattern: UInt64(bitPattern: word))
    }

    /// Whether `body` is true for a value. A path without collections has exactly one, which is
    /// null when a link on the way is nil.
    @inline(__always)
    func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        if isDirect { return try body(last(row, binding)) }
        return try follow(0, row, binding, key, body)
    }

    /// The one value of a path without collections.
    @inline(__always)
    func value(_ row: UnsafeRawBufferPointer, _ binding: LayoutBinding) throws -> _RawValue {
        if hops.isEmpty { return last(row, binding) }
        var found = _RawValue.null
        _ = try follow(0, row, binding, 0) {
            found = $0
            return true
        }
        return found
    }

    /// The value of the last property; a varying link to nothing is null.
    @inline(__always)
    private func last(_ row: UnsafeRawBufferPointer, _ binding: LayoutBinding) -> _RawValue {
        let value = table.value(at: slot, in: row, binding)
        if isVarying, type.collection == .none, case .bytes(let bytes) = value, bytes.isEmpty {
            return .null
        }
        return value
    }

    private func follow(
        _ position: Int, _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        if position == hops.count {
            if isStepping { return try followSteps(row, binding, key, body) }
            if let element { return try body(element.raw) }
            if let counted {
                return try body(.word(try linkCount(counted, to: key)))
            }
            if readsPieces || type.collection == .none { return try body(last(row, binding)) }
            return try anyElement(table, slot, key, body)
        }
        let hop = hops[position]
        if hop.isInverse {
            let links = try session.backlinks(
                to: key, in: hop.table, hop.target.properties[hop.slot])
            let isFound = try links.contains {
                try follow(position, link: .word(Int64(bitPattern: $0.source)), body)
            }
            if isFound || hop.derived.isEmpty { return isFound }
            return try followDerived(hop, key, body)
        }
        if hop.isCollection {
            return try anyElement(hop.table, hop.slot, key) {
                try follow(position, link: $0, body)
            }
        }
        return try follow(position, link: hop.table.value(at: hop.slot, in: row, binding), body)
    }

    /// The number of links of an inverse hop, those from objects of derived classes included.
    private func linkCount(_ hop: Hop, to key: UInt64) throws -> Int64 {
        let origin = hop.target.properties[hop.slot].name
        return try ([hop.target] + hop.derived).reduce(0) { sum, source in
            guard let property = source.properties.first(where: { $0.name == origin }) else {
                return sum
            }
            let links = try session.backlinks(to: key, in: hop.table, property)
            return links.reduce(sum) { $0 &+ Int64($1.count) }
        }
    }

    /// Follows the links from objects of derived classes to an object.
    private func followDerived(
        _ hop: Hop, _ key: UInt64, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        let origin = hop.target.properties[hop.slot].name
        return try hop.derived.contains { source in
            guard let slot = source.properties.firstIndex(where: { $0.name == origin }) else {
                return false
            }
            return try session.backlinks(to: key, in: hop.table, source.properties[slot]).contains {
                try resume(source, $0.source, hop.derivedRest, body)
            }
        }
    }

    /// Follows the rest of a path from an object of any table.
    private func resume(
        _ table: TableState, _ key: UInt64, _ rest: [String],
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        guard let row = try session.access.value(forKey: key, in: table.stored.rows) else {
            return try body(.null)
        }
        let continuation = Continuation(type: table.stored.number, nameCount: rest.count)
        let reader =
            continuations[continuation]
            ?? PropertyReader(
                rest + steps.map(\.name), table, readsPieces: readsPieces,
                keepsStorage: keepsStorage)
        continuations[continuation] = reader
        return try reader.any(row, try table.binding(of: row), key) {
            if keepsStorage { self.storage = reader.storage }
            return try body($0)
        }
    }

    private func follow(
        _ position: Int, link: _RawValue, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        let target = hops[position].target
        if let rest = hops[position].rest {
            guard let (table, key) = session.link(link, to: target) else { return try body(.null) }
            return try resume(table, key, rest, body)
        }
        guard case .word(let word) = link else { return try body(.null) }
        let key = UInt64(bitPattern: word)
        guard let row = try session.access.value(forKey: key, in: target.stored.rows) else {
            return try body(.null)
        }
        return try follow(position + 1, row, try target.binding(of: row), key, body)
    }

    /// Whether values are followed with their storage.
    private var isStepping: Bool { keepsStorage || !steps.isEmpty }

    /// The values at the end of the steps, from those of the last property or the element.
    private func followSteps(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        if let element {
            guard let storage = element.storage else { return try body(element.raw) }
            return try descend(steps[...], element.raw, storage, body)
        }
        let storage = CollectionStorage(session, table, key, slot)
        if type.collection == .none {
            return try descend(steps[...], last(row, binding), storage, body)
        }
        return try anyElement(table, slot, key) { try descend(steps[...], $0, storage, body) }
    }

    /// Follows steps into the collections of a value of any type. What is not there is null.
    private func descend(
        _ steps: ArraySlice<MixedPathStep>, _ value: _RawValue, _ storage: CollectionStorage,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        guard let step = steps.first else {
            if keepsStorage { self.storage = storage }
            return try body(value)
        }
        guard case .bytes(let bytes) = value,
            case .collection(let kind, let number)? = MixedCode.reference(in: bytes)
        else { return try step != .any && body(.null) }
        let nested = storage.nested(kind, number)
        guard nested.nesting?.depth ?? 0 <= MixedCode.depthMax, try nested.isPresent() else {
            return try step != .any && body(.null)
        }
        var found: Bool?
        switch (step, kind) {
        case (.any, _):
            try nested.visit {
                found = try descend(steps.dropFirst(), $0, nested, body)
                return found == false
            }
            return found ?? false
        case (.position(let position), .list):
            try nested.visit(from: position) {
                found = try descend(steps.dropFirst(), $0, nested, body)
                return false
            }
        case (.key(let key), .map):
            try Array(key.utf8).withUnsafeBytes { key in
                _ = try nested.position(of: RunElement(key: key, value: .null)) {
                    found = try descend(steps.dropFirst(), $0.value, nested, body)
                }
            }
        default: break
        }
        return try found ?? body(.null)
    }

    private func anyElement(
        _ table: TableState, _ slot: Int, _ key: UInt64, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        var isFound = false
        try CollectionStorage(session, table, key, slot).visit {
            isFound = try body($0)
            return !isFound
        }
        return isFound
    }

    /// The number of elements of a collection, from what its row holds of it; or of the links that
    /// were counted.
    static func elementCount(_ piece: _RawValue) -> Int {
        switch piece {
        case .bytes(let bytes): CollectionPiece(bytes).count
        case .word(let linkCount): Int(linkCount)
        default: 0
        }
    }
}
