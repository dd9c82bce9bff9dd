/// A word of a command line as the shell has it, with quotes and backslashes.
enum ShellWord {
    /// What the word means; a quote that is not closed yet ends with the word.
    static func unquoted(_ word: String) -> String {
        var result = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                // Between double quotes a backslash is itself before most characters.
                if quote != nil, !"\"\\$`".contains(character) { result.append("\\") }
                result.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                result.append(character)
            }
        }
        return result
    }
}
