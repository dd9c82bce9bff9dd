import TravertineStore

/// How a reader follows links.
extension PropertyReader {
    func follow(
        _ position: Int, _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        if position == hops.count { return try visitEnd(row, binding, key, body) }
        let hop = hops[position]
        if hop.isInverse {
            if hop.leadsNowhere { return false }
            let links = try session.backlinks(
                to: key, in: hop.table, hop.target.properties[hop.slot])
            let isFound = try links.contains {
                try follow(position, link: .word(Int64(bitPattern: $0.source)), body)
            }
            if isFound || hop.derived.isEmpty { return isFound }
            return try followDerived(position, key, body)
        }
        if case .only = hop.selection {
            return try follow(
                position, link: hop.table.value(at: hop.slot, in: row, binding), body)
        }
        return try visit(hop.selection, hop.table, hop.slot, key) {
            try follow(position, link: $0, body)
        }
    }

    private func follow(
        _ position: Int, link: _RawValue, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        let target = hops[position].target
        if let rest = hops[position].rest {
            guard let (table, key) = session.link(link, to: target) else {
                return try visitNone(after: position, body)
            }
            return try resume(table, key, rest, position, body)
        }
        guard case .word(let word) = link else { return try visitNone(after: position, body) }
        let key = UInt64(bitPattern: word)
        guard let row = try session.access.value(forKey: key, in: target.stored.rows) else {
            return try visitNone(after: position, body)
        }
        return try follow(position + 1, row, try target.binding(of: row), key, body)
    }

    /// What a path has after a link that is nil: nil, or no value where a collection comes after
    /// it.
    private func visitNone(
        after position: Int, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        let leadsToMany: Bool =
            switch end {
            case .property(.each), .keys, .inverse: true
            default: steps.contains { $0.leadsToMany }
            }
        if leadsToMany || hops[(position + 1)...].contains(where: \.isCollection)
            || hops[position].rest?.leadsToMany ?? false
        {
            return false
        }
        return try body(countsElements ? .word(countsContents ? 0 : 1) : .null)
    }

    /// Follows the links from objects of derived classes to an object.
    private func followDerived(
        _ position: Int, _ key: UInt64, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        let hop = hops[position]
        return try visitDerivedLinks(hop, key) { source, link in
            try resume(source, link.source, hop.derivedRest, position, body)
        }
    }

    /// Calls `body` with the links from objects of derived classes until it returns true.
    private func visitDerivedLinks(
        _ hop: Hop, _ key: UInt64,
        _ body: (TableState, (source: UInt64, count: Int)) throws -> Bool
    ) throws -> Bool {
        let origin = hop.target.properties[hop.slot].name
        return try hop.derived.contains { source in
            guard let slot = source.properties.firstIndex(where: { $0.name == origin }) else {
                return false
            }
            return try session.backlinks(to: key, in: hop.table, source.properties[slot])
                .contains { try body(source, $0) }
        }
    }

    /// Follows the rest of a path from an object of any table.
    private func resume(
        _ table: TableState, _ key: UInt64, _ rest: PropertyPath, _ position: Int,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        guard let row = try session.access.value(forKey: key, in: table.stored.rows),
            let reader = continuation(rest, table)
        else { return try visitNone(after: position, body) }
        return try reader.any(row, try table.binding(of: row), key) {
            if keepsStorage { self.storage = reader.storage }
            return try body($0)
        }
    }

    private func continuation(_ rest: PropertyPath, _ table: TableState) -> PropertyReader? {
        let continuation = Continuation(
            type: table.stored.number, stepCount: rest.steps.count)
        if let known = continuations[continuation] { return known }
        let reader = try? PropertyReader(
            rest, table, countsElements: countsElements, keepsStorage: keepsStorage)
        continuations[continuation] = .some(reader)
        return reader
    }

    // MARK: The end of a path

    private func visitEnd(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        switch end {
        case .element: return try visitElement(body)
        case .object: return try body(.word(Int64(bitPattern: key)))
        case .typeName:
            return try Array(table.className.utf8).withUnsafeBytes { try body(.bytes($0)) }
        case .inverse(let hop): return try visitLinks(hop, key, body)
        case .keys:
            let storage = CollectionStorage(session, table, key, slot)
            if countsElements { return try body(.word(Int64(try storage.count()))) }
            return try visitKeys(storage, body)
        case .property(let selection):
            if countsElements, steps.isEmpty, case .each = selection {
                return try body(.word(Self.elementCount(last(row, binding))))
            }
            if !isStepping {
                guard case .only = selection, !countsElements else {
                    if countsElements { return try body(.word(1)) }
                    if !isVarying { return try visit(selection, table, slot, key, body) }
                    return try visit(selection, table, slot, key) { try body(Self.link($0)) }
                }
                return try body(last(row, binding))
            }
            let storage = CollectionStorage(session, table, key, slot)
            guard case .only = selection else {
                return try visit(selection, table, slot, key) {
                    try descend(steps, $0, storage, body)
                }
            }
            return try descend(steps, last(row, binding), storage, body)
        }
    }

    /// The objects that link here, or how often they do.
    private func visitLinks(
        _ hop: Hop, _ key: UInt64, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        let property = hop.target.properties[hop.slot]
        if hop.leadsNowhere { return countsElements ? try body(.word(0)) : false }
        if countsElements {
            var count = try counter.count(to: key, in: hop.table, property)
            _ = try visitDerivedLinks(hop, key) { _, link in
                count = count.addingLinks(Int64(clamping: link.count))
                return false
            }
            return try body(.word(count))
        }
        let links = try session.backlinks(to: key, in: hop.table, property)
        if hop.derived.isEmpty {
            return try links.contains { try body(.word(Int64(bitPattern: $0.source))) }
        }
        func visit(_ table: TableState, _ key: UInt64) throws -> Bool {
            try MixedCode.encode(objectOfType: table.stored.number, key: key).withUnsafeBytes {
                try body(.bytes($0))
            }
        }
        if try links.contains(where: { try visit(hop.target, $0.source) }) { return true }
        return try visitDerivedLinks(hop, key) { try visit($0, $1.source) }
    }

    /// A link that names the type of its object; of nothing it has no bytes.
    private static func link(_ value: _RawValue) -> _RawValue {
        if case .bytes(let bytes) = value, bytes.isEmpty { return .null }
        return value
    }

    // MARK: Collections

    /// Calls `body` with the selected elements until it returns true; with null where there is none
    /// at a position or under a key.
    private func visit(
        _ selection: Selection, _ table: TableState, _ slot: Int, _ key: UInt64,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        try visit(selection, CollectionStorage(session, table, key, slot), body)
    }

    func visit(
        _ selection: Selection, _ storage: CollectionStorage,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        var found: Bool?
        switch selection {
        case .only: return false
        case .each:
            try storage.visit {
                found = try body($0)
                return found == false
            }
            return found ?? false
        case .position(let position):
            guard position >= 0 else { break }
            try storage.visit(from: position) {
                found = try body($0)
                return false
            }
        case .last:
            let count = try storage.count()
            guard count > 0 else { break }
            try storage.visit(from: count - 1) {
                found = try body($0)
                return false
            }
        case .key(let key):
            try key.withUnsafeBytes { key in
                _ = try storage.position(of: RunElement(key: key, value: .null)) {
                    found = try body($0.value)
                }
            }
        }
        return try found ?? body(.null)
    }

    func visitKeys(
        _ storage: CollectionStorage, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        var isFound = false
        try storage.visitElements {
            isFound = try body(.bytes($0.key))
            return !isFound
        }
        return isFound
    }
}
