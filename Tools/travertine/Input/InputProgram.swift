import Foundation

/// A program whose output is read as input: one that decompresses a file, or asks a server.
final class InputProgram {
    /// How it ended.
    enum End {
        case status(Int32)
        case signal(Int32)
    }

    private let process = Process()
    private let output = Pipe()
    private let errors: ErrorText
    /// The error that an end means, with the text of its standard error; nil for a good one.
    private let failure: (End, String) -> CommandError?
    private var isFinished = false
    /// Whether it was ended by a signal that control-C sends, or a process that ends this one.
    private(set) var wasInterrupted = false

    /// What it writes can be read here.
    var descriptor: Int32 { output.fileHandleForReading.fileDescriptor }

    /// Starts it.
    ///
    /// - Parameter failure: the error that an end means; nil for a good one.
    /// - Throws: `startFailure`.
    init(
        _ executable: String, _ arguments: [String], input: FileHandle,
        startFailure: CommandError, failure: @escaping (End, String) -> CommandError?
    ) throws {
        self.failure = failure
        let errorPipe = Pipe()
        errors = ErrorText(from: errorPipe)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errorPipe
        do {
            try process.run()
        } catch {
            try? errorPipe.fileHandleForWriting.close()
            // There is nothing to end.
            isFinished = true
            throw startFailure
        }
        // Only the child writes to the pipes, so that their end is its end.
        try? output.fileHandleForWriting.close()
        try? errorPipe.fileHandleForWriting.close()
    }

    deinit {
        if isFinished { return }
        // What reads from it has ended before it. It may wait for its output to be read.
        try? output.fileHandleForReading.close()
        process.terminate()
        process.waitUntilExit()
    }

    /// Checks, after the last byte, that it has written everything.
    func finish() throws {
        if isFinished { return }
        isFinished = true
        let text = errors.whole()
        process.waitUntilExit()
        let status = process.terminationStatus
        let isSignal = process.terminationReason == .uncaughtSignal
        // Programs that notice signals end with these statuses by themselves.
        wasInterrupted = [SIGINT, SIGTERM].contains {
            status == (isSignal ? $0 : ExitStatus.signalled + $0)
        }
        if let error = failure(isSignal ? .signal(status) : .status(status), text) { throw error }
    }
}
