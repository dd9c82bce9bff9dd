import SegmentLog

/// An array in separate memory from the system, for what is large and short-lived: an allocator
/// would keep what such arrays give back as they grow and are freed.
///
/// Shared, not copied, by assignment. One thread.
final class MappedArray<Element: BitwiseCopyable> {
    private var memory: AnonymousMemory?
    private var capacity = 0
    private(set) var count = 0

    init() {}

    /// Puts an element after the last. Throws when the system has no memory.
    func append(_ element: Element) throws(FileSystemError) {
        if count == capacity { try grow(to: Swift.max(capacity * 2, 1024)) }
        elements[count] = element
        count += 1
    }

    /// Takes away all elements from place `count` on.
    func removeAll(from count: Int) { self.count = Swift.min(self.count, count) }

    /// Makes room for so many elements; memory that they do not touch costs nothing.
    func grow(to capacity: Int) throws(FileSystemError) {
        if capacity <= self.capacity { return }
        let larger = try AnonymousMemory(
            byteCount: capacity * MemoryLayout<Element>.stride, for: "an array")
        if let memory {
            larger.base.copyMemory(
                from: memory.base, byteCount: count * MemoryLayout<Element>.stride)
        }
        memory = larger
        self.capacity = capacity
    }

    /// The elements and the room after them. Memory is only ever used as `Element`, whose bits are
    /// all there is of it.
    private var elements: UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(
            start: memory?.base.assumingMemoryBound(to: Element.self), count: capacity)
    }
}

extension MappedArray: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(place: Int) -> Element {
        precondition(place >= 0 && place < count, "no element is at this place")
        return elements[place]
    }
}
