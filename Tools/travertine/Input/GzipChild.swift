import Foundation

/// The system's `gzip`, which decompresses a file into a pipe.
final class GzipChild {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private let name: String
    private var isFinished = false
    /// Whether it was ended by a signal that control-C sends, or a process that ends this one.
    private(set) var wasInterrupted = false

    /// What it decompresses can be read here.
    var descriptor: Int32 { output.fileHandleForReading.fileDescriptor }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - file: the compressed file.
    ///   - name: what messages call the file.
    init(reading file: Int32, name: String) throws {
        self.name = name
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc"]
        process.standardInput = FileHandle(fileDescriptor: file, closeOnDealloc: false)
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw CommandError(
                ExitStatus.inputOutput, "\(name) can't be decompressed: gzip can't be started.")
        }
        // Only the child writes to the pipes, so that their end is its end.
        try? output.fileHandleForWriting.close()
        try? errors.fileHandleForWriting.close()
    }

    deinit {
        if isFinished { return }
        // What reads from it has ended before it.
        process.terminate()
        process.waitUntilExit()
    }

    /// Checks, after the last byte, that it decompressed the whole file.
    func finish() throws {
        if isFinished { return }
        isFinished = true
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        switch (process.terminationReason, process.terminationStatus) {
        case (.exit, 0): return
        case (.exit, 127):
            throw CommandError(
                ExitStatus.inputOutput,
                "\(name) can't be decompressed: gzip is not installed. Install it, or decompress "
                    + "the file elsewhere.")
        // With 2 it warns: what follows the compressed bytes is none, and would be left out.
        case (.exit, _):
            let reason = text.split(separator: "\n").first { !$0.isEmpty } ?? "it is damaged"
            throw CommandError(ExitStatus.badData, "\(name) can't be decompressed: \(reason)")
        case (_, let signal):
            wasInterrupted = signal == SIGINT || signal == SIGTERM
            throw CommandError(
                ExitStatus.inputOutput,
                "\(name) was not decompressed to its end: gzip was ended by signal \(signal).")
        }
    }
}
