import Locks
import SegmentLog

/// Where the index reports pages that turned out to be bad.
package final class PageDamage: Sendable {
    private let handler = Locked<(@Sendable (_ file: UInt32, _ page: UInt32) -> Void)?>(nil)

    /// Sets what is notified from now on.
    func setHandler(_ handler: @escaping @Sendable (_ file: UInt32, _ page: UInt32) -> Void) {
        self.handler.withLock { $0 = handler }
    }

    /// Reports a bad page. Any thread.
    func note(file: UInt32, page: UInt32) {
        let handler = handler.withLock { $0 }
        handler?(file, page)
    }
}
