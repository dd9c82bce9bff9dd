import Testing

extension Optional where Wrapped == ExitTest.Result {
    /// What the process of an exit test wrote to standard error; the test must observe it.
    var errorText: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }

    /// What it wrote to standard output; the test must observe it.
    var outputText: String { String(decoding: self?.standardOutputContent ?? [], as: UTF8.self) }
}
