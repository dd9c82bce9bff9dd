/// A key that is a negative number, which would be taken for an option: `show STORE City -5`.
enum NegativeKey {
    /// The arguments with the key of `show` after `--`, where nothing is an option.
    static func asOperand(_ arguments: [String]) -> [String] {
        guard arguments.first == "show", !arguments.contains("--"),
            let place = arguments.indices.last(where: { isKey(at: $0, arguments) })
        else { return arguments }
        var rest = arguments
        let key = rest.remove(at: place)
        return rest + ["--", key]
    }

    /// Whether an argument is a minus and digits, and not the value of an option.
    private static func isKey(at place: Int, _ arguments: [String]) -> Bool {
        let text = arguments[place]
        guard text.hasPrefix("-"), text.count > 1, text.dropFirst().allSatisfy({ "0"..."9" ~= $0 })
        else { return false }
        return !["-n", "--limit"].contains(arguments[place - 1])
    }
}
