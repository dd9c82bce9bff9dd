import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A program that runs on a terminal, and what it shows there.
final class PseudoTerminal {
    private let process = Process()
    private let controller: Int32
    /// Everything that it has shown so far, with the codes for the terminal.
    private(set) var text = ""

    var status: Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Starts a program on a terminal with 80 columns.
    ///
    /// - Parameter errorsOnly: whether only standard error is the terminal.
    init(
        _ arguments: [String], in directory: URL, environment: [String: String] = [:],
        errorsOnly: Bool = false
    ) throws {
        var ends: (controller: Int32, terminal: Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&ends.controller, &ends.terminal, nil, nil, &size) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        controller = ends.controller
        let terminal = FileHandle(fileDescriptor: ends.terminal, closeOnDealloc: true)
        process.executableURL = try CommandRun.executable()
        process.arguments = arguments
        process.currentDirectoryURL = directory
        var all = ProcessInfo.processInfo.environment
        for name in ["CI", "NO_COLOR"] { all[name] = nil }
        all["TERM"] = "xterm"
        process.environment = all.merging(environment) { $1 }
        process.standardError = terminal
        process.standardInput = errorsOnly ? FileHandle.nullDevice : terminal
        process.standardOutput = errorsOnly ? FileHandle.nullDevice : terminal
        try process.run()
        try terminal.close()
    }

    deinit {
        if process.isRunning { process.terminate() }
        close(controller)
    }

    /// Types text.
    func type(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
    }

    /// Waits until the program has shown a text after what was waited for before; false if it ends
    /// without, or nothing comes for a long time.
    func wait(for wanted: String) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        var start = seen
        while ContinuousClock.now < deadline {
            if let found = text[start...].range(of: wanted) {
                seen = found.upperBound
                return true
            }
            let place = text.distance(from: text.startIndex, to: start)
            guard readMore() else { return false }
            start = text.index(text.startIndex, offsetBy: place)
        }
        return false
    }

    /// Reads until the program ends.
    func readToEnd() -> String {
        while readMore() {}
        return text
    }

    private var seenCount = 0
    private var seen: String.Index {
        get { text.index(text.startIndex, offsetBy: seenCount) }
        set { seenCount = text.distance(from: text.startIndex, to: newValue) }
    }

    private func readMore() -> Bool {
        var poll = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        guard Foundation.poll(&poll, 1, 60_000) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(controller, &bytes, bytes.count)
        // The end of the other side is an error on Linux.
        guard count > 0 else { return false }
        // Line ends of a terminal are one character of a Swift string otherwise.
        text += String(decoding: bytes[..<count], as: UTF8.self)
            .replacingOccurrences(of: "\r", with: "")
        return true
    }
}
