/// A write transaction: builds the next version of the trees.
///
/// One thread at a time. Nodes with this transaction's stamps are changed in place; others are
/// copied first, and retired. Nothing that it does can be seen before the root that `commit`
/// returns is published. When dropped without an end it rolls back.
///
/// States: *open* (`Index.beginWrite`) → *committed* (`commit`) or *rolled back* (`rollback`,
/// `deinit`). A thrown `IndexFailure` leaves it open, with the trees as they were before the call.
@usableFromInline
package final class IndexWriter {
    let index: Index
    // What other modules ask for has a getter: only in their own module are stored properties read
    // without a check for exclusive access.
    @exclusivity(unchecked) @usableFromInline
    private(set) var newestStamp: UInt64
    /// The newest stamp of the transaction: new nodes carry it.
    @inlinable package var version: UInt64 { newestStamp }
    @exclusivity(unchecked) @usableFromInline
    var changeCount: UInt64 = 0
    /// Grows with every change of a tree and every rollback to a savepoint.
    @inlinable package var mutationCount: UInt64 { changeCount }
    @exclusivity(unchecked) @usableFromInline
    private(set) var workingTrees: UnsafeMutablePointer<Tree>
    /// The working trees; the address changes when trees are appended.
    ///
    /// Computed: another module would check the access to what is stored.
    @inlinable package var trees: UnsafeMutablePointer<Tree> { workingTrees }
    @exclusivity(unchecked) @usableFromInline
    private(set) var workingTreeCount: Int
    /// The number of trees.
    @inlinable package var treeCount: Int { workingTreeCount }
    private var treeCapacity: Int
    private let firstStamp: UInt64
    /// Nodes with stamps from here on are changed in place.
    @exclusivity(unchecked)
    private(set) var ownedSince: UInt64
    @exclusivity(unchecked)
    private var created: [Node] = []
    @exclusivity(unchecked)
    var retired: [RetiredNode] = []
    /// Nodes of the newest version that are in no page file, about.
    @exclusivity(unchecked)
    private(set) var changedNodeCount: Int
    private let imageVersion: UInt64
    private var savepointStamps: [UInt64] = []
    @exclusivity(unchecked)
    private var isOpen = true
    /// Reads the working trees.
    package let reader: IndexReader

    /// The path of the change under way: each inner node, and which child was taken.
    let pathNodes: UnsafeMutablePointer<Node>
    let pathIndexes: UnsafeMutablePointer<Int>
    /// Where separators wait on their way up; one is filled while the other is read.
    let separators: UnsafeMutableRawPointer
    @exclusivity(unchecked)
    var finger = Finger()
    /// Where `locate` found a key last.
    @exclusivity(unchecked)
    var located = LocatedKey()

    init(_ index: Index, base: UnsafePointer<RootHeader>) {
        self.index = index
        reader = index.reader
        index.lastStamp += 1
        newestStamp = index.lastStamp
        changedNodeCount = index.changedNodeCount
        imageVersion = index.imageVersion
        firstStamp = newestStamp
        ownedSince = newestStamp
        workingTreeCount = base.pointee.treeCount
        treeCapacity = workingTreeCount + 4
        workingTrees = .allocate(capacity: treeCapacity)
        workingTrees.initialize(from: base.pointee.trees, count: workingTreeCount)
        let scratch = index.scratch
        pathNodes = scratch.pathNodes
        pathIndexes = scratch.pathIndexes
        separators = scratch.separators
        swap(&created, &scratch.created)
        swap(&retired, &scratch.retired)
    }

    deinit {
        rollback()
        trees.deallocate()
    }

    /// Adds a tree and returns its number.
    package func appendTree(_ tree: Tree) -> Int {
        precondition(isOpen, "the write transaction has ended")
        if treeCount == treeCapacity {
            let larger = UnsafeMutablePointer<Tree>.allocate(capacity: treeCapacity * 2)
            larger.moveInitialize(from: trees, count: treeCount)
            trees.deallocate()
            workingTrees = larger
            treeCapacity *= 2
        }
        (trees + treeCount).initialize(to: tree)
        workingTreeCount += 1
        changeCount &+= 1
        return treeCount - 1
    }

    /// The value of a key in a working tree, or nil.
    package func value(
        forKey key: UnsafeRawBufferPointer, in tree: Int
    ) throws(IndexFailure) -> UInt64? {
        try reader.value(forKey: key, in: trees[tree])
    }

    /// Makes the working trees the newest committed version, and ends the transaction.
    ///
    /// The root is seen once it is published; the next transaction builds on it at once.
    package func commit(tag: UInt64) -> CommittedRoot {
        precondition(isOpen, "the write transaction has ended")
        isOpen = false
        let root = index.commit(
            trees: UnsafeBufferPointer(start: trees, count: treeCount), version: version, tag: tag,
            retired: retired)
        index.changedNodeCount = max(0, changedNodeCount)
        forget()
        index.endWrite()
        return root
    }

    /// Undoes everything and ends the transaction; without effect after its end.
    package func rollback() {
        guard isOpen else { return }
        isOpen = false
        freeCreated(from: 0)
        forget()
        index.endWrite()
    }

    private func forget() {
        // The arrays' memory is for the next transaction.
        created.removeAll(keepingCapacity: created.count <= WriterScratch.keptCount)
        retired.removeAll(keepingCapacity: retired.count <= WriterScratch.keptCount)
        swap(&created, &index.scratch.created)
        swap(&retired, &index.scratch.retired)
        savepointStamps = []
        finger = Finger()
    }

    // MARK: Nodes

    func checkIsOpen(_ tree: Int) {
        precondition(isOpen, "the write transaction has ended")
        precondition(tree >= 0 && tree < treeCount, "there is no such tree")
    }

    func allocate() -> Node {
        let node = index.memory.allocate()
        changedNodeCount &+= 1
        created.append(node)
        return node
    }

    /// Says that the node just allocated says what another said.
    func discountCopy() { changedNodeCount &-= 1 }

    /// A node that may be changed: the one referred to, or a copy with the newest stamp.
    @inline(__always)
    func own(_ bits: UInt64, level: Int) throws(IndexFailure) -> Node {
        let node = try reader.node(bits, level: level)
        if Int64(bitPattern: bits) > 0 && node.version >= ownedSince { return node }
        return copy(node, isHeap: Int64(bitPattern: bits) > 0)
    }

    private func copy(_ node: Node, isHeap: Bool) -> Node {
        let copy = allocate()
        node.copyContents(to: copy)
        copy.version = version
        if isHeap {
            if node.version > imageVersion { changedNodeCount &-= 1 }
            retired.append(RetiredNode(node: node, birth: node.version))
        }
        return copy
    }

    /// Takes a node out of the trees: frees it if it is the transaction's own, retires it if not.
    func discard(_ bits: UInt64) {
        guard Int64(bitPattern: bits) > 0 else { return }
        let node = Node(bits: bits)
        assert(node.version != Node.freeVersion, "V1: a node is taken out twice")
        if node.version > imageVersion { changedNodeCount &-= 1 }
        if node.version >= ownedSince {
            free(node)
        } else {
            retired.append(RetiredNode(node: node, birth: node.version))
        }
    }

    private func free(_ node: Node) {
        node.version = Node.freeVersion
        index.memory.deallocate(node)
    }

    /// Frees what was created since a point, except what was freed already. (A node that was freed
    /// and created again is listed twice; the mark makes it count once.)
    private func freeCreated(from start: Int) {
        for node in created[start...] where node.version != Node.freeVersion { free(node) }
        created.removeSubrange(start...)
    }

    // MARK: Savepoints

    /// A state of the transaction that it can go back to.
    package struct Savepoint {
        fileprivate let trees: [Tree]
        fileprivate let stamp: UInt64
        fileprivate let createdCount: Int
        fileprivate let retiredCount: Int
        fileprivate let changedNodeCount: Int
    }

    /// Notes the present state. The transaction takes a new stamp, so that nothing of this state is
    /// changed in place. Ends with `release` or `rollback(to:)`; savepoints nest.
    package func savepoint() -> Savepoint {
        precondition(isOpen, "the write transaction has ended")
        takeStamp()
        ownedSince = version
        savepointStamps.append(version)
        finger = Finger()
        return Savepoint(
            trees: Array(UnsafeBufferPointer(start: trees, count: treeCount)), stamp: version,
            createdCount: created.count, retiredCount: retired.count,
            changedNodeCount: changedNodeCount)
    }

    private func takeStamp() {
        index.lastStamp += 1
        newestStamp = index.lastStamp
    }

    /// Goes back to a savepoint, which ends, as do those inside it.
    package func rollback(to savepoint: Savepoint) {
        end(savepoint)
        freeCreated(from: savepoint.createdCount)
        retired.removeSubrange(savepoint.retiredCount...)
        changedNodeCount = savepoint.changedNodeCount
        workingTreeCount = savepoint.trees.count
        for (number, tree) in savepoint.trees.enumerated() { trees[number] = tree }
        // A fresh stamp: what carries the old one was undone, and must not look current.
        takeStamp()
        changeCount &+= 1
    }

    /// Keeps the changes since a savepoint, which ends, as do those inside it.
    package func release(_ savepoint: Savepoint) {
        end(savepoint)
        // What only this savepoint needed is freed.
        var kept = savepoint.retiredCount
        for position in savepoint.retiredCount..<retired.count {
            let entry = retired[position]
            if entry.birth >= ownedSince {
                free(entry.node)
            } else {
                retired[kept] = entry
                kept += 1
            }
        }
        retired.removeSubrange(kept...)
    }

    private func end(_ savepoint: Savepoint) {
        precondition(isOpen, "the write transaction has ended")
        guard let position = savepointStamps.lastIndex(of: savepoint.stamp) else {
            preconditionFailure("the savepoint has ended")
        }
        savepointStamps.removeSubrange(position...)
        ownedSince = savepointStamps.last ?? firstStamp
        finger = Finger()
    }
}
