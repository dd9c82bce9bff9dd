import Testing

@testable import TravertineStore

@Suite("Memory budgets")
struct MemoryBudgetTests {
    /// Of so many MiB, shares in MiB.
    @Test(
        "A share of the memory, at least 64 MiB, and at most twice the share where there is little",
        arguments: [
            [8, 16384, 2048], [16, 16384, 1024], [16, 512, 64], [8, 256, 64], [16, 256, 32],
        ]
    )
    func share(figures: [Int]) {
        #expect(MemoryBudget.share(figures[0], of: figures[1] << 20) == figures[2] << 20)
    }

    @Test("Queries have half of what the nodes of an index have, where there is much")
    func queries() {
        #expect(MemoryBudget.ofQueries >= MemoryBudget.ofIndex / 2)
        #expect(MemoryBudget.ofQueries <= MemoryBudget.ofIndex)
    }
}
