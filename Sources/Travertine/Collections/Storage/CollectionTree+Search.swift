/// The position of an element in an ordered collection, or the one that it would have.
struct ElementPosition {
    var index: Int
    var isFound: Bool
}

/// Looking for elements of sets and maps, which are in order.
extension CollectionTree {
    /// Finds the first element that is not before the one that is wanted.
    ///
    /// `body` gets the element if it is the wanted one. Touches one node per level and, on each,
    /// the leftmost leaves of logarithmically many children.
    func position(
        of wanted: RunElement, _ body: (RunElement) throws -> Void
    ) throws -> ElementPosition {
        if count == 0 { return ElementPosition(index: 0, isFound: false) }
        try checkHeight()
        var node = root
        var before = 0
        for level in stride(from: height, to: 1, by: -1) {
            let children = try entries(of: node)
            var low = 0
            var high = children.count
            // The last child whose first element is not after the wanted one.
            while high - low > 1 {
                let middle = (low + high) / 2
                if try order(ofFirstBelow: children[middle].node, level - 1, to: wanted) <= 0 {
                    low = middle
                } else {
                    high = middle
                }
            }
            for child in children[..<low] { before = try Self.sum(before, child.count) }
            node = children[low].node
        }
        let found = try session.unstored.nodes.withNode(node, of: owner, session) {
            try run.position(of: wanted, in: $0, body)
        }
        return ElementPosition(index: try Self.sum(before, found.index), isFound: found.isFound)
    }

    private func order(
        ofFirstBelow node: UInt32, _ height: Int, to wanted: RunElement
    ) throws -> Int {
        var node = node
        for _ in stride(from: height, to: 1, by: -1) { node = try entries(of: node)[0].node }
        return try session.unstored.nodes.withNode(node, of: owner, session) { bytes in
            guard let first = run.element(at: 0, in: bytes) else { throw Self.damage }
            return run.order(first, to: wanted)
        }
    }
}

extension ElementRun {
    /// Finds the first element that is not before the one that is wanted.
    func position(
        of wanted: RunElement, in bytes: UnsafeRawBufferPointer,
        _ body: (RunElement) throws -> Void
    ) throws -> ElementPosition {
        var offset = 0
        var index = 0
        while let element = element(at: offset, in: bytes) {
            let order = order(element, to: wanted)
            if order == 0 { try body(element) }
            if order >= 0 { return ElementPosition(index: index, isFound: order == 0) }
            offset = element.next
            index += 1
        }
        return ElementPosition(index: index, isFound: false)
    }

    /// The elements of a batch in order, the last one of equal ones alone.
    func sorted(_ batch: ElementBatch) -> ElementBatch {
        var sorted = ElementBatch()
        batch.bytes.withUnsafeBytes { bytes in
            var elements: [(range: Range<Int>, element: RunElement)] = []
            var offset = 0
            while let element = element(at: offset, in: bytes) {
                elements.append((offset..<element.next, element))
                offset = element.next
            }
            elements.sort {
                let order = order($0.element, to: $1.element)
                return order == 0 ? $0.range.lowerBound < $1.range.lowerBound : order < 0
            }
            for index in elements.indices {
                let isLast =
                    index + 1 == elements.count
                    || order(elements[index].element, to: elements[index + 1].element) != 0
                if !isLast { continue }
                sorted.bytes.append(contentsOf: bytes[elements[index].range])
                sorted.count += 1
            }
        }
        return sorted
    }
}
