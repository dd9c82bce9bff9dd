import Foundation
import TestSupport
import Testing

/// Documentation/Live.md 3, T-L4: the main queue where no thread stays with it.
@Suite("The main queue of a program")
struct MainQueueTests {
    @Test(
        "with dispatchMain(), observations of the main queue and of the main actor are notified there"
    )
    func notified() throws {
        let directory = try TemporaryDirectory()
        let program = try RunningProgram(
            BuiltProgram.url("main-queue-observer"), [directory.path("realm")])
        #expect(program.readLine() == "notified of 5 on the queue and the actor")
    }

    /// Documentation/Live.md 2.1, O-L4c.
    @Test(
        "what is committed while a block runs the main loop is reported when the block has returned"
    )
    func nested() throws {
        let directory = try TemporaryDirectory()
        let program = try RunningProgram(
            BuiltProgram.url("main-queue-observer"), [directory.path("realm"), "nested"])
        #expect(program.readLine() == "notified of 2 after the loop inside")
    }

    #if DEBUG
        @Test("on the main thread itself no block is sent: a program without a loop collects none")
        func mainThread() throws {
            let directory = try TemporaryDirectory()
            let program = try RunningProgram(
                BuiltProgram.url("main-queue-observer"), [directory.path("realm"), "once"])
            #expect(program.readLine() == "no block was sent")
        }
    #endif
}
