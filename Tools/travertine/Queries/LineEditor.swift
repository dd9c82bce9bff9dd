import Foundation

/// Reads lines on a terminal with the line editor of the system, if there is one: `libedit`, or
/// else `libreadline`, which are looked for when they are needed and never linked.
///
/// There is one for the process: both libraries keep their state in globals.
@MainActor
final class LineEditor {
    private typealias ReadLine =
        @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>?) -> Int32
    private typealias Generator =
        @convention(c) (UnsafePointer<CChar>?, Int32) -> UnsafeMutablePointer<CChar>?
    private typealias Matches =
        @convention(c) (UnsafePointer<CChar>?, Generator) -> UnsafeMutableRawPointer?
    private typealias Attempt =
        @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> UnsafeMutableRawPointer?

    private let readLine: ReadLine
    private let addHistory: AddHistory
    private var lastLine = ""

    /// What the completion that is under way found, and the function that makes a list of it.
    private static var candidates: [String] = []
    private static var position = 0
    private static var matches: Matches?
    /// What continues a word, by the text before it.
    private static var complete: (_ before: String, _ word: String) -> [String] = { _, _ in [] }
    private static var lineText: () -> String = { "" }

    private static let libraries = [
        "libedit.so.2", "libedit.so.0", "/usr/lib/libedit.3.dylib", "libreadline.so.8",
        "libreadline.so.7",
    ]

    /// - Parameter complete: gives what continues a word.
    /// - Returns: nil where the system has no editor.
    init?(complete: @escaping (_ before: String, _ word: String) -> [String]) {
        guard let library = Self.libraries.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
            let readLine = dlsym(library, "readline"),
            let addHistory = dlsym(library, "add_history")
        else { return nil }
        self.readLine = unsafeBitCast(readLine, to: ReadLine.self)
        self.addHistory = unsafeBitCast(addHistory, to: AddHistory.self)
        // Letters beyond ASCII are letters only in the user's locale.
        setlocale(LC_CTYPE, "")
        Self.complete = complete
        Self.install(in: library)
    }

    /// The next line, without its end; nil at the end of input.
    func line(_ prompt: String) -> String? {
        guard let text = prompt.withCString({ readLine($0) }) else { return nil }
        defer { free(text) }
        let line = String(cString: text)
        if !line.allSatisfy(\.isWhitespace), line != lastLine {
            _ = addHistory(text)
            lastLine = line
        }
        return line
    }

    /// Has the library ask for continuations; without them where it lacks one of the names.
    private static func install(in library: UnsafeMutableRawPointer) {
        guard let matches = dlsym(library, "rl_completion_matches"),
            let attempt = dlsym(library, "rl_attempted_completion_function"),
            let isOver = dlsym(library, "rl_attempted_completion_over"),
            let buffer = dlsym(library, "rl_line_buffer"),
            let breaks = dlsym(library, "rl_basic_word_break_characters")
        else { return }
        self.matches = unsafeBitCast(matches, to: Matches.self)
        lineText = {
            let text = buffer.load(as: UnsafePointer<CChar>?.self)
            return text.map { String(cString: $0) } ?? ""
        }
        // Completing file names instead is of no use here.
        let over = isOver.assumingMemoryBound(to: Int32.self)
        self.forbidFileNames = { over.pointee = 1 }
        breaks.storeBytes(
            of: strdup(" \t\n\"'`<>=!;|&{}(),+-*/"), as: UnsafeMutablePointer<CChar>?.self)
        let function: Attempt = { word, start, _ in
            let address = MainActor.assumeIsolated {
                UInt(bitPattern: LineEditor.attempt(word, start))
            }
            return UnsafeMutableRawPointer(bitPattern: address)
        }
        attempt.storeBytes(of: function, as: Attempt.self)
    }

    private static var forbidFileNames: () -> Void = {}

    private static func attempt(
        _ word: UnsafePointer<CChar>?, _ start: Int32
    ) -> UnsafeMutableRawPointer? {
        forbidFileNames()
        guard let word, let matches else { return nil }
        let before = String(decoding: lineText().utf8.prefix(Int(start)), as: UTF8.self)
        candidates = complete(before, String(cString: word))
        position = 0
        guard !candidates.isEmpty else { return nil }
        return matches(word) { _, state in
            let address = MainActor.assumeIsolated {
                UInt(bitPattern: LineEditor.nextCandidate(isFirst: state == 0))
            }
            return UnsafeMutablePointer(bitPattern: address)
        }
    }

    /// A copy of the next continuation, which the library frees; nil after the last one.
    private static func nextCandidate(isFirst: Bool) -> UnsafeMutablePointer<CChar>? {
        if isFirst { position = 0 }
        guard position < candidates.count else { return nil }
        position += 1
        return strdup(candidates[position - 1])
    }
}
