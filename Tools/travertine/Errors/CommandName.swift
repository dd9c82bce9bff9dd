import ArgumentParser

/// The name of a command that is typed.
enum CommandName {
    /// What is wrong with the first word of a command line; nil if it is a command or an option.
    static func problem(of word: String?) -> CommandError? {
        let all = TravertineCommand.configuration.subcommands.map { $0.configuration }
        let names = all.compactMap { $0.commandName }
        let listed = all.filter { $0.shouldDisplay }.compactMap { $0.commandName }
        guard let word, !word.hasPrefix("-"), word != "help", !names.contains(word) else {
            return nil
        }
        let near = listed.filter { distance(word, $0) <= max(1, word.count / 3) }
        let advice =
            near.isEmpty
            ? "`travertine --help` lists them."
            : "Did you mean " + near.map { "`travertine \($0)`" }.joined(separator: " or ") + "?"
        return CommandError(ExitStatus.usage, "there is no command “\(word)”. \(advice)")
    }

    /// How a key that begins with a minus sign and a digit is written, if one was; else nothing.
    static func adviceOnNegatives(
        _ arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> String {
        let number = arguments.prefix { $0 != "--" }.first { word in
            word.hasPrefix("-") && word.dropFirst().first?.isWholeNumber == true
        }
        guard let number else { return "" }
        return """

            A key such as \(number) is written after all options and --, the value of an option \
            after =:
              travertine get STORE -- \(number)
              travertine scan STORE --from=\(number)
            """
    }

    /// How many characters must be inserted, removed, replaced or exchanged with the next one to
    /// get from one word to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rows = [Array(0...right.count)]
        for (index, character) in left.enumerated() {
            var row = [index + 1]
            for (place, other) in right.enumerated() {
                let above = rows[index]
                var least = min(
                    above[place + 1] + 1, row[place] + 1,
                    above[place] + (character == other ? 0 : 1))
                if index > 0, place > 0, character == right[place - 1], left[index - 1] == other {
                    least = min(least, rows[index - 1][place - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
