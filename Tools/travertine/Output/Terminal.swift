import Foundation

/// The terminal that standard output is.
enum Terminal {
    /// The characters of a line: what the terminal says, else the variable COLUMNS, else 80.
    static var columnCount: Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    /// Whether a person sees what is printed.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard input is a terminal.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether a person types, and sees what is printed.
    static var isInteractive: Bool { isInput && isOutput }
}
