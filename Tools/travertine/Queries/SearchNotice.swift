import Dispatch
import Foundation
import Synchronization

/// A line on standard error while objects are searched for: how many, and for how long by now.
///
/// A search reports nothing until it ends, so the line is drawn by a timer. It is drawn only if
/// standard error is a terminal and the search takes longer than half a second.
final class SearchNotice {
    private let state = State()
    private let timer: (any DispatchSourceTimer)?

    private final class State: Sendable {
        let isDrawn = Mutex(false)
        let isOver = Atomic(false)
    }

    /// Begins to wait.
    ///
    /// - Parameter rowCount: how many objects the type has.
    init(_ rowCount: Int) {
        guard ProgressBar.isWanted else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let start = ContinuousClock.now
        timer.setEventHandler { [state] in
            state.isDrawn.withLock { isDrawn in
                if state.isOver.load(ordering: .relaxed) { return }
                isDrawn = true
                let seconds = Int(start.duration(to: .now).seconds.rounded())
                let line = "searching \(Figures.count(rowCount, "object")), \(seconds) s"
                FileHandle.standardError.write(Data("\r\u{1b}[K\(line)".utf8))
            }
        }
        timer.schedule(deadline: .now() + 0.5, repeating: 0.5)
        timer.activate()
        self.timer = timer
    }

    /// Wipes the line; nothing is drawn after that.
    func end() {
        guard let timer, !state.isOver.load(ordering: .relaxed) else { return }
        timer.cancel()
        state.isDrawn.withLock { isDrawn in
            state.isOver.store(true, ordering: .relaxed)
            if isDrawn { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
        }
    }
}
