/// Where a document is written, value by value, without being made.
protocol DocumentOutput {
    /// What was written.
    var bytes: [UInt8] { get set }

    /// Takes back what was written of a document, wherever in it an error came.
    mutating func cut(to count: Int)
    /// Begins a document or an array; gives what `end` takes.
    mutating func begin(isArray: Bool, _ name: OutputName) throws(DocumentError) -> Int
    mutating func end(_ start: Int, isArray: Bool) throws(DocumentError)
    mutating func null(_ name: OutputName) throws(DocumentError)
    mutating func int(_ number: Int64, isNarrow: Bool, _ name: OutputName) throws(DocumentError)
    mutating func double(_ number: Double, _ name: OutputName) throws(DocumentError)
    mutating func bool(_ flag: Bool, _ name: OutputName) throws(DocumentError)
    mutating func text(_ text: UnsafeRawBufferPointer, _ name: OutputName) throws(DocumentError)
    mutating func value(_ value: AnyBSON, _ name: OutputName) throws(DocumentError)
}
