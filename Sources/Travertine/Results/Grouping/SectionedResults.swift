import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What ``SectionedResults`` and ``ResultsSection`` are: collections that a realm shows.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined,
    CustomStringConvertible
where Index == Int {}

extension RealmSectionedResult {
    /// The position after another, which `...` asks for: the range is checked as a whole.
    public func index(after position: Int) -> Int { position + 1 }

    /// The elements of a range.
    public subscript(bounds: Range<Int>) -> Slice<Self> {
        requireRange(bounds, in: self)
        return Slice(base: self, bounds: bounds)
    }
}

/// Results in sections, each of which has the elements with one key: live.
///
/// ```swift
/// let sections = people.sectioned(by: \.initial, ascending: true)
/// for section in sections {
///     print(section.key, section.count)
///     for person in section { print(person.name) }
/// }
/// ```
/// The sections come in the order in which their keys first occur in the sorted results. They are
/// found when something is asked of them, and again after a change of the realm.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult
{
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>

    let base: SectionedState<Key, SectionElement>

    init(state: SectionedState<Key, SectionElement>) { base = state }

    /// The sections, of the calling thread if they are frozen.
    var state: SectionedState<Key, SectionElement> { base.here }

    /// The realm.
    public var realm: Realm? { base.results.realm }

    /// Whether the realm was invalidated since the results were made: they can't be used any more.
    public var isInvalidated: Bool { state.results.isInvalidated }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { state.sections.map(\.key) }

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last section.
    public var endIndex: Int { count }

    /// The number of sections.
    public var count: Int { state.sections.count }

    /// The section at a position. It stays that of its key, wherever this comes to be.
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        let sections = state.sections
        requireIndex(position, below: sections.count)
        return ResultsSection(state: state, key: sections[position].key)
    }

    /// The element at a section's position, and its position in this.
    public subscript(indexPath: IndexPath) -> SectionElement {
        require(
            indexPath.count == 2,
            "\(indexPath) leads to no element: it has the position of a section and one in it.")
        return self[indexPath[0]][indexPath[1]]
    }

    /// An iterator over the sections as they are now.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(state: state, keys: allKeys.makeIterator())
    }

    /// The sections with their keys.
    public var description: String {
        let lines = map { "\t\($0.key): \("\($0)".withLinesIndented)" }
        return "SectionedResults<\(Key.self), \(SectionElement.self)> {\n"
            + "\(lines.joined(separator: ",\n"))\n}"
    }

    /// Whether both are the same results, made by one call.
    public static func == (left: SectionedResults, right: SectionedResults) -> Bool {
        left.base === right.base
    }
}

/// The elements of results that have one key: live, and empty when no element has the key any more.
public struct ResultsSection<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    RealmSectionedResult, Identifiable
{
    let base: SectionedState<Key, Element>
    /// The key that all elements have.
    public let key: Key

    init(state: SectionedState<Key, Element>, key: Key) {
        base = state
        self.key = key
    }

    /// The sections, of the calling thread if they are frozen.
    var state: SectionedState<Key, Element> { base.here }

    /// The key.
    public var id: Key { key }

    /// The realm.
    public var realm: Realm? { base.results.realm }

    /// Whether the realm was invalidated since the results were made: they can't be used any more.
    public var isInvalidated: Bool { state.results.isInvalidated }

    private var positions: [Int] { state.section(key)?.positions ?? [] }

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last element.
    public var endIndex: Int { count }

    /// The number of elements.
    public var count: Int { positions.count }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        let positions = positions
        requireIndex(position, below: positions.count)
        return state.results[positions[position]]
    }

    /// An iterator over the elements as they are now.
    public func makeIterator() -> SectionIterator<Element> {
        SectionIterator(state.results, at: positions)
    }

    /// The elements with their positions, at most a hundred of them.
    public var description: String {
        let lines = prefix(100).enumerated().map { "\t[\($0)] \("\($1)".withLinesIndented)" }
        let rest = count > 100 ? ",\n\t... \(count - 100) objects skipped." : ""
        return "ResultsSection<\(Element.self)> (\n\(lines.joined(separator: ",\n"))\(rest)\n)"
    }

    /// Whether both are sections of the same results with the same key.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.base === right.base && left.key == right.key
    }
}

/// Iterates over the sections that there were at the start.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    IteratorProtocol
{
    let state: SectionedState<Key, Element>
    var keys: IndexingIterator<[Key]>

    /// The next section, or nil at the end.
    public mutating func next() -> ResultsSection<Key, Element>? {
        keys.next().map { ResultsSection(state: state, key: $0) }
    }
}

/// Iterates over the elements that a section had at the start.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private let results: Results<Element>
    /// The results of the thread that found the rows; frozen ones may be another thread's later.
    private var state: ResultsState
    private var rows: [FoundRow]
    private let generation: UInt64
    private var positions: IndexingIterator<[Int]>

    init(_ results: Results<Element>, at positions: [Int]) {
        self.results = results
        self.positions = positions.makeIterator()
        let state = results.state
        self.state = state
        rows = state.read([]) { try state.all() }
        generation = state.session.generation.pointee.number
    }

    /// The next element, or nil at the end.
    public mutating func next() -> Element? {
        let current = results.state
        if current !== state {
            state = current
            rows = current.read([]) { try current.all() }
        }
        guard let position = positions.next(), position < rows.count else { return nil }
        current.session.checkThread()
        return results.element(
            of: rows[position], at: position,
            isCurrent: generation == current.session.generation.pointee.number)
    }
}
