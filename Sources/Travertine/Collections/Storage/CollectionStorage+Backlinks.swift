/// The links that elements are, counted in the objects that they lead to.
extension CollectionStorage {
    /// Removes every link to objects that are about to be deleted; maps keep their keys and lists
    /// of values of any type their positions.
    func removeAll(linksTo targets: LinkTargets) throws {
        var found: [(position: Int, replacement: ElementBatch)] = []
        var position = -1
        try visitElements(mayChange: run.type == .any) { element in
            position += 1
            switch element.value {
            case .word(let word):
                guard targets.contains(UInt64(bitPattern: word)) else { return true }
            case .bytes(let bytes) where run.type == .any:
                guard try forget(targets, in: bytes) else { return true }
            default: return true
            }
            found.append((position, replacement(for: element)))
            return true
        }
        // From the end, so that positions stay; what just goes, and stands together, goes at once.
        var end = found.count
        while end > 0 {
            var start = end - 1
            while start > 0, found[start].replacement.count == 0,
                found[start - 1].replacement.count == 0,
                found[start - 1].position + 1 == found[start].position
            {
                start -= 1
            }
            try replace(
                found[start].position..<found[end - 1].position + 1,
                with: found[end - 1].replacement)
            end = start
        }
    }

    /// What replaces a link whose target was deleted.
    private func replacement(for element: RunElement) -> ElementBatch {
        var batch = ElementBatch()
        let none = _RawValue.bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        switch run.collection {
        case .map:
            run.append(key: element.key, run.type == .any ? none : .null, to: &batch.bytes)
            batch.count = 1
        case .list where run.type == .any && !property.isVarying:
            run.append(none, to: &batch.bytes)
            batch.count = 1
        default: break
        }
        return batch
    }

    /// Counts the links of a batch.
    func addBacklinks(_ batch: ElementBatch) throws {
        try countLinks(.countUp) { count in
            var offset = 0
            try batch.bytes.withUnsafeBytes { buffer in
                while let element = run.element(at: offset, in: buffer) {
                    offset = element.next
                    try count(element.value)
                }
            }
        }
    }

    /// Uncounts the links of a range, and deletes the collections in it.
    func removeBacklinks(_ range: Range<Int>) throws {
        if property.backlinks == .absent || range.isEmpty { return }
        // What is there is read before anything is changed: a row may lie in memory that is used
        // again.
        var words: [Int64] = []
        var values: [[UInt8]] = []
        var count = 0
        try visit(from: range.lowerBound) { raw in
            count += 1
            switch raw {
            case .word(let target): words.append(target)
            case .bytes(let bytes):
                if MixedCode.reference(in: bytes) != nil { values.append(Array(bytes)) }
            case .null: break
            }
            return count < range.count
        }
        try countLinks(.countDown) { count in
            for word in words { try count(.word(word)) }
            for value in values { try value.withUnsafeBytes { try count(.bytes($0)) } }
        }
        for value in values { try value.withUnsafeBytes { try releaseCollection($0) } }
    }

    /// Counts, or uncounts, the links among the elements that `body` names.
    private func countLinks(
        _ change: DerivedEntries.Change, _ body: ((_RawValue) throws -> Void) throws -> Void
    ) throws {
        guard let rule = table.rules.linkRule(ofSlot: slot) else { return }
        let transaction = session.requireOpenTransaction().takeUnretainedValue()
        try session.withEntries { entries in
            try body { raw in
                table.rules.collect(change, element: raw, rule, of: key, into: entries)
                if entries.isFull {
                    try session.apply(entries, of: key, in: table, transaction)
                    entries.removeAll()
                }
            }
            try session.apply(entries, of: key, in: table, transaction)
        }
    }
}
