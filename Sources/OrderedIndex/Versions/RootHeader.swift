/// One version of all trees: immutable, in one block of memory with its trees.
///
/// It lives as long as a pin of its version, or as it is the newest published or committed one.
@usableFromInline
package struct RootHeader: BitwiseCopyable {
    /// The trees, in the order of their numbers.
    @usableFromInline package let trees: UnsafePointer<Tree>
    /// The version: the last stamp of the transaction that committed it.
    package let version: UInt64
    /// The owner's; the index only carries it.
    package let tag: UInt64
    /// The number of trees.
    @usableFromInline package let treeCount: Int

    /// The tree with a number; empty when this version doesn't have it.
    @inlinable
    package func tree(_ number: Int) -> Tree {
        number < treeCount ? trees[number] : Tree.empty
    }

    /// Makes a root; the caller frees it with `free`.
    static func allocate(
        trees: UnsafeBufferPointer<Tree>, version: UInt64, tag: UInt64
    ) -> UnsafeMutablePointer<RootHeader> {
        let headerByteCount = MemoryLayout<RootHeader>.stride
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: headerByteCount + trees.count * MemoryLayout<Tree>.stride, alignment: 16)
        let copies = (block + headerByteCount).bindMemory(to: Tree.self, capacity: trees.count)
        if let source = trees.baseAddress { copies.initialize(from: source, count: trees.count) }
        let root = block.bindMemory(to: RootHeader.self, capacity: 1)
        root.initialize(
            to: RootHeader(
                trees: UnsafePointer(copies), version: version, tag: tag, treeCount: trees.count))
        return root
    }

    /// Gives a root's memory back.
    static func free(_ root: UnsafeRawPointer) {
        UnsafeMutableRawPointer(mutating: root).deallocate()
    }
}
