/// Memory that one transaction after the other works in.
final class WriterScratch {
    /// A tree is never higher.
    static let heightMax = 64
    /// A key, and what copying its head may overwrite after it.
    static let separatorByteCountMax = Key.byteCountMax + 8
    /// Arrays up to this length keep their memory.
    static let keptCount = 1 << 16

    let pathNodes = UnsafeMutablePointer<Node>.allocate(capacity: WriterScratch.heightMax)
    let pathIndexes = UnsafeMutablePointer<Int>.allocate(capacity: WriterScratch.heightMax)
    /// Room for two separators.
    let separators = UnsafeMutableRawPointer.allocate(
        byteCount: 2 * WriterScratch.separatorByteCountMax, alignment: 16)
    let entries = EntryList()
    var created: [Node] = []
    var retired: [RetiredNode] = []

    deinit {
        pathNodes.deallocate()
        pathIndexes.deallocate()
        separators.deallocate()
    }
}
