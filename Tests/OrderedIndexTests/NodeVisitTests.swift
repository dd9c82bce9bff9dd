import TestSupport
import Testing

@testable import OrderedIndex

@Suite("Visits of nodes")
struct NodeVisitTests {
    private struct Visitor: NodeVisitor {
        var leafCountMax = Int.max
        var leafCount = 0
        var enteredCount = 0
        var leftCount = 0
        var keyCount = 0

        var isDone: Bool { leafCount >= leafCountMax }

        mutating func enter(_ node: NodeIdentity) -> Bool {
            enteredCount += 1
            return true
        }

        mutating func visit(_ leaf: LeafEntries) {
            leafCount += 1
            keyCount += leaf.count
        }

        mutating func leave(_ node: NodeIdentity) { leftCount += 1 }
    }

    @Test("a visitor that is done is shown no further node")
    func done() throws {
        let index = Index.make()
        var random = SeededRandom(seed: 17)
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<3000 {
                try writer.insert(KeyShape.allCases[0].makeKey(number, &random), 1)
            }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            let tree = root.pointee.tree(0)
            var all = Visitor()
            try index.reader.visitNodes(of: tree, &all)
            #expect(all.keyCount == Int(tree.count) && all.leafCount > 3)
            #expect(all.enteredCount == all.leftCount)
            // The leaves after the last one asked for were touched once: those of page files read.
            for countMax in 1...3 {
                var some = Visitor(leafCountMax: countMax)
                try index.reader.visitNodes(of: tree, &some)
                #expect(some.leafCount == countMax && some.leftCount == 0)
            }
        }
    }
}
