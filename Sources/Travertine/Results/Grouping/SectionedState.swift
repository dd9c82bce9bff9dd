import TravertineStore

/// The sections of results, found when they are asked for and again after a change.
final class SectionedState<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    struct Section {
        let key: Key
        /// Where its elements are in the results.
        var positions: [Int]
    }

    /// What the key of an element is.
    enum KeyOrigin {
        /// A property, which is read from rows; a handle is made for the first row of a section.
        case property(path: PropertyPath, read: (Element) -> Key)
        case block((Element) -> Key)
    }

    let results: Results<Element>
    let origin: KeyOrigin
    /// What other threads have in place of frozen sections.
    let copies: ThreadCopies<SectionedState>?
    private var found: [Section] = []
    private var numbers: [Key: Int] = [:]
    /// When they were found.
    private var generation: UInt64?
    private var changeCount: UInt64 = 0

    init(_ results: Results<Element>, _ origin: KeyOrigin) {
        self.results = results
        copies = results.base.session.isFrozen ? ThreadCopies() : nil
        self.origin = origin
    }

    /// The sections in their order.
    var sections: [Section] {
        let session = results.state.session
        session.checkThread()
        if generation != session.generation.pointee.number
            || changeCount != session.counts.changeCount || results.state.table.isGone
        {
            found = []
            numbers = [:]
            // A write by the block that gives keys is seen the next time.
            generation = session.generation.pointee.number
            changeCount = session.counts.changeCount
            switch origin {
            case .property(let path, let read): results.state.read(()) { try find(path, read) }
            case .block(let block): find(block)
            }
        }
        return found
    }

    /// As `sections`, for what compares them.
    ///
    /// - Throws: damage that is found on the way, also by the block that gives keys: the sections
    ///   may be wrong, and are found again the next time.
    func soundSections() throws -> [Section] {
        let session = results.state.session
        let before = session.damage
        session.damage = nil
        let found = sections
        if let damage = session.damage.take() {
            generation = nil
            throw damage
        }
        session.damage = before
        return found
    }

    /// The section with a key; nil if no element has it.
    func section(_ key: Key) -> Section? {
        let sections = sections
        return number(of: key).map { sections[$0] }
    }

    /// The number of the section with a key. What is not a number is equal to nothing, but has one
    /// section.
    private func number(of key: Key) -> Int? {
        if let number = numbers[key] { return number }
        return key == key ? nil : found.firstIndex { $0.key != $0.key }
    }

    private func find(_ path: PropertyPath, _ read: (Element) -> Key) throws {
        let state = results.state
        let rows = try state.all()
        let readers = state.tables.map { PropertyReader.required(path, $0) }
        var values = DistinctValues(readers[0].type.type)
        /// The section of each different value. Several can be of one key, which a custom type
        /// makes of them.
        var sectionNumbers: [Int] = []
        for (position, row) in rows.enumerated() where !row.isElement {
            let binding = try state.table(of: row).binding(of: row.bytes)
            let value = try readers[Int(row.part)].value(row.bytes, binding, row.key)
            let (number, isNew) = values.number(of: value)
            if isNew {
                guard let element = results.makeIfPossible(row) else {
                    sectionNumbers.append(-1)
                    continue
                }
                sectionNumbers.append(add(position, read(element)))
            } else if sectionNumbers[number] >= 0 {
                found[sectionNumbers[number]].positions.append(position)
            }
        }
    }

    private func find(_ block: (Element) -> Key) {
        if Element.self is ObjectBase.Type {
            for (position, element) in results.enumerated() { add(position, block(element)) }
            return
        }
        // Iterating leaves out rows that make no element, and positions count them.
        let state = results.state
        let rows: [FoundRow] = state.read([]) { try state.all() }
        for (position, row) in rows.enumerated() {
            let element =
                row.isElement
                ? results.element(of: row, at: position, isCurrent: true)
                : results.makeIfPossible(row)
            if let element { add(position, block(element)) }
        }
    }

    /// Adds an element to the section with its key.
    @discardableResult
    private func add(_ position: Int, _ key: Key) -> Int {
        if let number = number(of: key) {
            found[number].positions.append(position)
            return number
        }
        numbers[key] = found.count
        found.append(Section(key: key, positions: [position]))
        return found.count - 1
    }
}
