import Foundation
import Travertine

/// The lines that a shell runs: from the line editor, from a terminal without one, or from a pipe.
@MainActor
struct ShellInput {
    /// Whether a person types the lines and sees what comes of them.
    let isInteractive = Terminal.isInteractive
    private let editor: LineEditor?
    private var number = 0

    /// - Parameter isPlain: whether the line editor is left alone.
    init(_ realm: Realm, isPlain: Bool) {
        let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
        guard Terminal.isInteractive, !isPlain, !isDumb else {
            editor = nil
            return
        }
        let completion = QueryCompletion(realm)
        editor = LineEditor { before, word in
            QueryShell.completions(after: before, word, completion)
        }
    }

    /// The next line, joined with those that it goes on with, and the number of its first line; nil
    /// at the end.
    mutating func next() throws -> (text: String, number: Int)? {
        guard var text = try line("> ") else {
            // The prompt is left on a line that ends.
            if isInteractive { print() }
            return nil
        }
        let first = number
        while text.hasSuffix("\\") {
            text.removeLast()
            guard let more = try line("… ") else { break }
            text += "\n" + more
        }
        return (text, first)
    }

    private mutating func line(_ prompt: String) throws -> String? {
        number += 1
        if let editor { return editor.line(prompt) }
        if isInteractive {
            try Array(prompt.utf8).withUnsafeBytes {
                try OutputFile.write($0, to: STDOUT_FILENO, "standard output")
            }
        }
        return readLine()
    }
}
