import Dispatch
import OrderedIndex
import Synchronization
import TravertineStore

/// Building the columns of a large table on several threads (C-Q18).
extension LeafColumns {
    /// Before a scan of all rows: builds the columns on several threads if the table is large and
    /// most of them are missing. What is not built here, because of damage or of the budget, the
    /// scan builds, which also reports the damage.
    func buildAhead() {
        let rowCountMin = QueryPlanning.rowCountMinForThreads
        guard cache.threadCountMax > 1, access.count(in: table.rows) >= rowCountMin,
            let top = try? access.topNode(of: table.rows), (try? lacksMost(top)) == true,
            let work = try? ColumnWork(plan, top, threadCount: cache.threadCountMax)
        else { return }
        let threadCount = min(cache.threadCountMax, work.partCount)
        DispatchQueue.concurrentPerform(iterations: threadCount) { _ in work.run() }
        table.noteVisits(.row, work.rowCount)
    }

    /// Whether two of three leaves lack columns: the first, one in the middle, and the last.
    private func lacksMost(_ top: NodeHandle) throws -> Bool {
        var columns: [LeafColumn] = []
        var missingCount = 0
        for half in 0...2 {
            var node = top
            while node.level > 0 {
                node = try access.child((node.childCount - 1) * half / 2, of: node)
            }
            if !plan.find(node.entries, into: &columns) { missingCount += 1 }
        }
        return missingCount >= 2
    }
}

/// Building columns on several threads: each takes the next leaves, until none is left.
///
/// Unsafe: nodes of a snapshot never change, and who runs the work holds the snapshot until all
/// threads have ended.
private final class ColumnWork: @unchecked Sendable {
    private let plan: ColumnPlan
    /// Some children of a node above the leaves.
    private let parts: [(node: NodeHandle, children: Range<Int>)]
    private let byteCountMax: Int
    private let next = Atomic(0)
    private let byteCount = Atomic(0)
    private let readCount = Atomic(0)
    /// How many leaves a part has at least, unless its node has less; and how many parts a thread
    /// gets, about. Rows that follow one another mostly lie in one batch of the log, which the
    /// first read verifies as a whole: threads that share a batch would both verify it.
    private static let leafCountMin = 16
    private static let partCountForThread = 8

    init(_ plan: ColumnPlan, _ top: NodeHandle, threadCount: Int) throws {
        var nodes = [top]
        while let level = nodes.first?.level, level > 1 {
            nodes = try nodes.flatMap { node in
                try (0..<node.childCount).map { try plan.access.child($0, of: node) }
            }
        }
        self.plan = plan
        let leafCount = nodes.reduce(0) { $0 + $1.childCount }
        let step = max(Self.leafCountMin, leafCount / (threadCount * Self.partCountForThread))
        parts = nodes.flatMap { node in
            stride(from: 0, to: node.childCount, by: step).map { first in
                (node, first..<min(node.childCount, first + step))
            }
        }
        byteCountMax = plan.cache.columnByteCountMax / 2
    }

    var partCount: Int { parts.count }
    /// How many rows were read.
    var rowCount: Int { readCount.load(ordering: .relaxed) }

    /// Builds until nothing is left, or a row is damaged, or what was built would take the place of
    /// itself in the cache.
    func run() {
        let builder = ColumnBuilder(plan)
        defer { readCount.wrappingAdd(builder.rowCount, ordering: .relaxed) }
        while byteCount.load(ordering: .relaxed) < byteCountMax {
            let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard number < parts.count else { return }
            do {
                try build(parts[number], builder)
            } catch {
                next.store(parts.count, ordering: .relaxed)
                return
            }
        }
    }

    private func build(
        _ part: (node: NodeHandle, children: Range<Int>), _ builder: ColumnBuilder
    ) throws {
        var columns: [LeafColumn] = []
        for child in part.children {
            let leaf = try plan.access.child(child, of: part.node).entries
            if plan.find(leaf, into: &columns) { continue }
            let built = try builder.build(leaf)
            plan.keep(built, of: leaf)
            byteCount.wrappingAdd(built.reduce(0) { $0 + $1.byteCount }, ordering: .relaxed)
        }
    }
}
