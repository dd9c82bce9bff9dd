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

    private struct NumberVisitor: NodeVisitor {
        var keyCount = 0
        var areSame = true

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) {
            var numbers = [UInt64](repeating: 1, count: leaf.count)
            numbers.withUnsafeMutableBufferPointer {
                if let start = $0.baseAddress { leaf.copyNumbers(to: start) }
            }
            for position in 0..<leaf.count where numbers[position] != leaf.number(position) {
                areSame = false
            }
            keyCount += leaf.count
        }
    }

    @Test("the numbers that keys of a leaf begin with are copied together as one by one")
    func numbers() throws {
        var random = SeededRandom(seed: 18)
        // Keys of one length share more or fewer of their first bytes.
        for (byteCount, shift) in [(8, 0), (8, 20), (8, 45), (16, 30), (16, 60), (12, 8), (5, 0)] {
            let index = Index.make()
            try index.write { (writer: IndexWriter) throws -> Void in
                for number in 0..<2000 {
                    let first = byteCount == 16 ? UInt64(number / 300) : random.next() >> shift
                    var key = withUnsafeBytes(of: first.bigEndian) { Array($0) }
                    key += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
                    try writer.insert(Array(key.prefix(byteCount)), 1)
                }
            }
            try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                let tree = root.pointee.tree(0)
                var visitor = NumberVisitor()
                try index.reader.visitNodes(of: tree, &visitor)
                #expect(visitor.areSame && visitor.keyCount == Int(tree.count), "\(byteCount)")
            }
        }
    }
}
