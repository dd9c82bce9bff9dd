import Foundation
import PostgreSQLServer

/// How long something that another process does may take.
enum Deadline {
    /// Asks until the answer is true.
    ///
    /// - Throws: `ServerFailure` where that takes too long.
    static func wait(
        _ limit: Duration = .seconds(30), for event: String, until isDone: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now + limit
        while try !isDone() {
            if ContinuousClock.now > end {
                throw ServerFailure("\(event): not within \(limit)")
            }
            // The other process may need the processor.
            usleep(10_000)
        }
    }
}
