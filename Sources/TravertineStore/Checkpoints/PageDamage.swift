import SegmentLog
import Synchronization

/// Where the index tells of pages that turned out to be bad.
package final class PageDamage: Sendable {
    private let handler = Mutex<(@Sendable (_ file: UInt32, _ page: UInt32) -> Void)?>(nil)

    /// Sets who is told from now on.
    func setHandler(_ handler: @escaping @Sendable (_ file: UInt32, _ page: UInt32) -> Void) {
        self.handler.withLock { $0 = handler }
    }

    /// Tells of a bad page. Any thread.
    func note(file: UInt32, page: UInt32) {
        let handler = handler.withLock { $0 }
        handler?(file, page)
    }
}
