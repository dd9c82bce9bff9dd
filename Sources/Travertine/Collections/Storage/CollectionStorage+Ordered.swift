/// What sets and maps do, whose elements are in order.
extension CollectionStorage {
    /// Finds an element; `body` gets it if it is there.
    func position(
        of wanted: RunElement, _ body: (RunElement) throws -> Void = { _ in }
    ) throws -> ElementPosition {
        var found = ElementPosition(index: 0, isFound: false)
        let piece = try withPiece { bytes in
            let piece = CollectionPiece(bytes)
            if case .inline(let count) = piece, count > 0 {
                let elements = UnsafeRawBufferPointer(
                    rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
                found = try run.position(of: wanted, in: elements, body)
            }
            return piece
        }
        guard let tree = CollectionTree(session, owner, run, piece) else { return found }
        return try tree.position(of: wanted, body)
    }

    /// Puts an element where it belongs, in place of an equal one; whether there was none.
    func put(_ element: RunElement) throws -> Bool {
        let position = try position(of: element)
        if position.isFound, run.collection == .set { return false }
        var batch = ElementBatch(count: 1)
        if run.collection == .map {
            run.append(key: element.key, element.value, to: &batch.bytes)
        } else {
            run.append(element.value, to: &batch.bytes)
        }
        let end = position.index + (position.isFound ? 1 : 0)
        try replace(position.index..<end, with: batch)
        return !position.isFound
    }

    /// Removes an element; whether it was there.
    func remove(_ element: RunElement) throws -> Bool {
        let position = try position(of: element)
        guard position.isFound else { return false }
        try replace(position.index..<position.index + 1, with: ElementBatch())
        return true
    }
}
