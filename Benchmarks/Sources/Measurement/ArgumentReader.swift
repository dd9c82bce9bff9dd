/// Reads `--name value` and `--name=value` arguments.
public struct ArgumentReader {
    private var rest: ArraySlice<String>

    /// Reads these arguments, without the program's name.
    public init(_ arguments: [String]) { rest = arguments[...] }

    /// The next option's name, such as `--size`; nil at the end.
    public mutating func nextName() -> String? {
        guard let first = rest.popFirst() else { return nil }
        guard first.hasPrefix("--"), let equals = first.firstIndex(of: "=") else { return first }
        rest.insert(String(first[first.index(after: equals)...]), at: rest.startIndex)
        return String(first[..<equals])
    }

    /// The value of the option just read.
    public mutating func value(of name: String) throws -> String {
        guard let value = rest.popFirst() else {
            throw BenchmarkError("\(name) needs a value; --help lists the options.")
        }
        return value
    }

    /// The value as a whole number of at least 1.
    public mutating func number(of name: String) throws -> Int {
        let text = try value(of: name)
        guard let number = Int(text.replacing("_", with: "")), number >= 1 else {
            throw BenchmarkError("\(name) needs a whole number of at least 1, not “\(text)”.")
        }
        return number
    }

    /// The value as names separated by commas, each of which must be one of `known`.
    public mutating func names(of option: String, among known: [String]) throws -> [String] {
        try value(of: option).split(separator: ",").map { part in
            guard known.contains(String(part)) else {
                throw BenchmarkError(
                    "\(option): “\(part)” is unknown. Known are: "
                        + known.joined(separator: ", ") + ".")
            }
            return String(part)
        }
    }
}
