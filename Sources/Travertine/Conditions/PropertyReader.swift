import TravertineStore

/// Reads the values at the end of a path, from the row of an object or from an element.
///
/// A path leads over hops from object to object, ends with a property of the last one (or with what
/// `End` says beside), and may go on with steps into a value of any type.
final class PropertyReader {
    /// Which elements of a collection a path goes on with.
    enum Selection {
        /// The property is no collection.
        case only
        case each
        case position(Int)
        case last
        case key([UInt8])
    }

    struct Hop {
        var table: TableState
        var slot: Int
        var selection: Selection
        var target: TableState
        /// Whether the hop leads from an object to those that link to it by `slot` of `target`.
        var isInverse = false
        /// The rest of the path, where each link names the type of its object.
        var rest: PropertyPath?
        /// Of an inverse hop: the tables of classes derived from the target's.
        var derived: ArraySlice<TableState> = []
        /// The rest of the path after objects of these.
        var derivedRest = PropertyPath()
        /// Of an inverse hop: whether the link leads to objects of the base class alone, so that no
        /// object of this table is ever linked to.
        var leadsNowhere = false

        /// Whether the hop leads to any number of objects.
        var isCollection: Bool {
            if case .each = selection { true } else { false }
        }
    }

    /// What a path ends with, after its hops.
    enum End {
        case property(Selection)
        /// The keys of a map.
        case keys
        /// The objects that link by a property, as links.
        case inverse(Hop)
        /// The object itself, as a link.
        case object
        /// The element that the condition is on.
        case element
        /// The name of the object's type.
        case typeName
    }

    let session: RealmSession
    let path: PropertyPath
    var hops: [Hop] = []
    var table: TableState
    var slot = 0
    var end = End.object
    /// The type of the values.
    var type: _StoredType
    /// Whether the values of a collection are its number of elements instead, and links are
    /// counted.
    let countsElements: Bool
    /// Whether the elements are counted of the list or dictionary that a value of any type is.
    private(set) var countsContents = false
    /// Whether the values are links that name the types of their objects.
    var isVarying = false
    /// Readers of the rest of the path after varying links and derived classes; nil for a type that
    /// lacks a property.
    var continuations: [Continuation: PropertyReader?] = [:]
    /// The element of a collection that the condition is on, instead of a row.
    let element: ScannedElement?
    /// The rest of the path inside a value of any type.
    var steps: ArraySlice<PropertyPath.Step> = []
    /// Counts the links that the path ends with.
    lazy var counter = BacklinkCounter()
    /// Whether a path leads straight to a value of the row.
    private var isDirect = false
    /// Whether `storage` is to be set.
    let keepsStorage: Bool
    /// The property or collection of the value that `any` has found, to which the number of a
    /// collection in it belongs.
    @exclusivity(unchecked) var storage: CollectionStorage?

    struct Continuation: Hashable {
        var type: UInt32
        var stepCount: Int
    }

    /// - Throws: what the path names and the type lacks, as a `QueryProblem`.
    init(
        _ path: PropertyPath, _ start: TableState, countsElements: Bool = false,
        element: ScannedElement? = nil, keepsStorage: Bool = false
    ) throws(QueryProblem) {
        self.path = path
        self.countsElements = countsElements
        self.keepsStorage = keepsStorage
        self.element = element
        session = start.session
        table = start
        type = element?.type ?? _StoredType(.object)
        try resolve()
        countsContents = countsElements && type.type == .any && !hasManyValues
        if case .property(let selection) = end, hops.isEmpty, steps.isEmpty, !keepsStorage {
            switch selection {
            case .only: isDirect = !countsElements
            case .each: isDirect = countsElements
            case .position, .last, .key: isDirect = false
            }
        }
    }

    /// The reader of a path that the caller named; stops for one that there is not.
    static func required(_ path: PropertyPath, _ table: TableState) -> PropertyReader {
        do throws(QueryProblem) {
            return try PropertyReader(path, table)
        } catch {
            misuse(error.message)
        }
    }

    /// Whether the values are floating-point numbers or dates.
    var isReal: Bool { type.type == .double || type.type == .float || type.type == .date }

    /// The table of the objects that the path leads to; nil if it leads to values.
    var target: TableState? {
        guard type.type == .object else { return nil }
        return switch end {
        case .property: session.table(named: table.properties[slot].target)
        case .inverse(let hop): hop.target
        case .object: table
        case .element, .keys, .typeName: nil
        }
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
        if hops.contains(where: \.isCollection) || steps.contains(where: \.leadsToMany) {
            return true
        }
        return switch end {
        case .property(.each), .keys, .inverse: true
        default: false
        }
    }

    /// The slot, if the path is one property of the row itself, neither collection nor link to
    /// follow.
    var directSlot: Int? {
        guard isDirect, !countsElements else { return nil }
        return slot
    }

    /// The way of a path that follows links to a property, if each link names no type.
    var linkPath: LinkPath? {
        guard !countsElements, steps.isEmpty, element == nil, !keepsStorage,
            hops.allSatisfy({ !$0.isInverse && $0.rest == nil })
        else { return nil }
        switch end {
        case .property(.only), .property(.each): break
        default: return nil
        }
        var path = LinkPath(hops: [], target: table, slot: slot)
        for hop in hops {
            switch hop.selection {
            case .only, .each: break
            case .position, .last, .key: return nil
            }
            path.hops.append(
                LinkPath.Hop(table: hop.table, slot: hop.slot, isCollection: hop.isCollection))
        }
        return path
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
        if isDirect {
            let value = last(row, binding)
            return try body(countsElements ? .word(Self.elementCount(value)) : value)
        }
        return try follow(0, row, binding, key, body)
    }

    /// The one value of a path without collections.
    @inline(__always)
    func value(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64 = 0
    ) throws -> _RawValue {
        if isDirect { return last(row, binding) }
        var found = _RawValue.null
        _ = try follow(0, row, binding, key) {
            found = $0
            return true
        }
        return found
    }

    /// The value of the last property; a varying link to nothing is null.
    @inline(__always)
    func last(_ row: UnsafeRawBufferPointer, _ binding: LayoutBinding) -> _RawValue {
        let value = table.value(at: slot, in: row, binding)
        if isVarying, type.collection == .none, case .bytes(let bytes) = value, bytes.isEmpty {
            return .null
        }
        return value
    }

    /// The number of elements of a collection, from what its row holds of it.
    static func elementCount(_ piece: _RawValue) -> Int64 {
        guard case .bytes(let bytes) = piece else { return 0 }
        return Int64(CollectionPiece(bytes).count)
    }
}

extension PropertyPath.Step {
    /// Whether the step leads to any number of values.
    var leadsToMany: Bool {
        switch self {
        case .each, .keys, .values: true
        default: false
        }
    }
}

extension PropertyPath {
    /// Whether a step says that the path leads to any number of values. That a property is a
    /// collection only its type says.
    var leadsToMany: Bool { steps.contains { $0.leadsToMany } }
}
