/// Which nodes a tree in memory refers to by page from now on, and how far that has come.
///
/// Made after a checkpoint is durable, and used by slices: a few write transactions that change no
/// key, so that the writer never stops for long. A page says what the node says that it replaces,
/// so readers of any version see the same keys.
package struct PageAdoption: Sendable {
    /// For pages of files that the checkpoint no longer uses, the pages that replace them.
    package let moved: [UInt64: UInt64]
    /// The files whose pages may replace leaves in memory; empty when leaves stay in memory.
    package let leafFiles: Set<UInt32>
    /// Leaves born after this version stay in memory.
    package let leafVersionMax: UInt64
    /// The number of leaves that may still be removed from memory.
    package var leafCount: Int
    /// Whether nodes in chunks that are being emptied are copied to others.
    package let evacuates: Bool
    /// Where the next slice begins: a tree and the first key that was not looked at.
    private(set) var tree = 0
    private(set) var key: [UInt8]?
    /// Whether all trees were looked at.
    package private(set) var isDone = false

    /// An adoption that has not begun.
    package init(
        moved: [UInt64: UInt64], leafFiles: Set<UInt32> = [], leafVersionMax: UInt64 = 0,
        leafCount: Int = 0, evacuates: Bool = false
    ) {
        self.moved = moved
        self.leafFiles = leafFiles
        self.leafVersionMax = leafVersionMax
        self.leafCount = leafCount
        self.evacuates = evacuates
    }

    fileprivate mutating func advance(toTree tree: Int, key: [UInt8]?, isDone: Bool) {
        self.tree = tree
        self.key = key
        self.isDone = isDone
    }
}

extension IndexWriter {
    /// Does the next slice of an adoption: looks at about `nodeCount` inner nodes, fewer if it has
    /// to copy many leaves.
    ///
    /// Inner nodes in memory stay there, so that a look-up reads one page at the most: its leaf.
    /// No page is read.
    /// - Returns: whether anything was replaced; if not, there is nothing to commit.
    package func adopt(_ adoption: inout PageAdoption, nodeCount: Int) -> Bool {
        var slice = AdoptionSlice(
            moved: adoption.moved, leafFiles: adoption.leafFiles,
            leafVersionMax: adoption.leafVersionMax, evacuates: adoption.evacuates,
            leafCount: adoption.leafCount, cost: nodeCount * AdoptionSlice.innerCost)
        var tree = adoption.tree
        var key = adoption.key
        var isChanged = false
        changeCount &+= 1
        while tree < treeCount {
            let old = trees[tree]
            let new = adopt(old.root.bits, from: key, &slice)
            if new != old.root.bits {
                trees[tree].root = NodeReference(bits: new)
                isChanged = true
            }
            key = slice.nextKey
            slice.nextKey = nil
            if key == nil { tree += 1 }
            if slice.cost <= 0 { break }
        }
        adoption.leafCount = slice.leafCount
        adoption.advance(toTree: tree, key: key, isDone: tree >= treeCount)
        return isChanged
    }

    private struct AdoptionSlice {
        let moved: [UInt64: UInt64]
        let leafFiles: Set<UInt32>
        let leafVersionMax: UInt64
        let evacuates: Bool
        var leafCount: Int
        /// What the slice may still cost.
        var cost: Int

        static let innerCost = 8
        static let copyCost = 3

        /// The first key that was not looked at, when the slice ended inside a tree.
        var nextKey: [UInt8]?
    }

    /// Looks at a subtree from a key on; returns the reference that says the same from now on.
    private func adopt(_ bits: UInt64, from key: [UInt8]?, _ slice: inout AdoptionSlice) -> UInt64 {
        // A page that was not moved has only such pages below it.
        guard Int64(bitPattern: bits) > 0 else { return slice.moved[bits] ?? bits }
        var node = Node(bits: bits)
        if slice.evacuates && index.memory.isEvacuated(node) {
            node = ownForAdoption(node)
            slice.cost -= AdoptionSlice.copyCost
        }
        if node.level == 0 { return adoptLeaf(node, &slice) }
        slice.cost -= AdoptionSlice.innerCost
        let first = key?.withUnsafeBytes { Inner(node).childIndex(for: Key($0)) } ?? 0
        for index in first...node.count {
            let old = Inner(node).children[index]
            let new = adopt(old, from: index == first ? key : nil, &slice)
            if new != old {
                node = ownForAdoption(node)
                Inner(node).children[index] = new
            }
            if slice.nextKey != nil { break }
            // Only between whole subtrees, and the last child's end is the parent's next.
            if slice.cost <= 0 && node.level > 1 && index < node.count {
                slice.nextKey = separator(index, of: node)
                break
            }
        }
        return node.reference.bits
    }

    private func adoptLeaf(_ node: Node, _ slice: inout AdoptionSlice) -> UInt64 {
        guard slice.leafCount > 0, node.version <= slice.leafVersionMax,
            let page = node.reference.image.page, slice.leafFiles.contains(page.file)
        else { return node.reference.bits }
        slice.leafCount -= 1
        slice.cost -= 1
        let image = node.reference.image.bits
        discard(node.reference.bits)
        return image
    }

    /// A copy that may be changed. It notes the page of the original, which says the same.
    private func ownForAdoption(_ node: Node) -> Node {
        if node.version >= ownedSince { return node }
        let copy = allocate()
        // It counts as changed or not as the original did.
        discountCopy()
        node.copyContents(to: copy)
        copy.version = version
        copy.pageSlot.pointee = node.pageSlot.pointee
        retired.append(RetiredNode(node: node, birth: node.version))
        return copy
    }

    private func separator(_ index: Int, of node: Node) -> [UInt8] {
        let length = Inner(node).copySeparator(index, to: separators)
        return [UInt8](UnsafeRawBufferPointer(start: separators, count: length))
    }
}
