import Foundation
import Locks
import TestSupport
import Testing

@testable import Travertine

@Suite("Conditions with thousands of parts")
struct ManyConditionsTests {
    class ManyConditionsItem: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
    }

    /// Each part was one level deeper on the stack than the one before, which ended on a thread
    /// with a small one; and each copied what the planner knew of those before.
    @Test("they are tested on a small stack, and in their order")
    func smallStack() async throws {
        let directory = TemporaryDirectory()
        let counts = Locked<[Int]>([])
        await withCheckedContinuation { continuation in
            let thread = Thread {
                do {
                    let realm = try directory.open([ManyConditionsItem.self])
                    try realm.write {
                        for id in 0..<3 {
                            realm.create(
                                ManyConditionsItem.self, value: ["id": id, "name": "n\(id)"])
                        }
                    }
                    let items = realm.objects(ManyConditionsItem.self)
                    let names = (1...20_000).map { "name == 'n\($0)'" }
                    let any = items.filter(names.joined(separator: " OR ")).count
                    let others = (3...20_000).map { "name != 'n\($0)'" }
                    let all = items.filter(others.joined(separator: " AND ")).count
                    counts.withLock { $0 = [any, all] }
                } catch {
                    Issue.record(error)
                }
                continuation.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(counts.withLock { $0 } == [2, 3])
    }
}
