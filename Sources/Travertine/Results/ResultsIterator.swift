/// Iterates over the objects that results had at the start; a copy continues on its own from where
/// it was made.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
    @usableFromInline var stream: ObjectCursor?
    /// The elements instead, where not each is the handle of a row.
    @usableFromInline var elements: IndexingIterator<[Element]>

    init(_ stream: ObjectCursor?, _ elements: [Element]) {
        self.stream = stream
        self.elements = elements.makeIterator()
    }

    /// The next object, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        if !isKnownUniquelyReferenced(&stream) {
            guard let shared = stream else { return elements.next() }
            stream = shared.copy()
        }
        while true {
            // Nobody else refers to the stream, so that it needs no counting while it is asked.
            let next = Unmanaged.passUnretained(stream.unsafelyUnwrapped)
                ._withUnsafeGuaranteedRef { $0.next() }
            guard let object = next else { return nil }
            if let element = Element._makeIfPossible(object) { return element }
        }
    }
}
