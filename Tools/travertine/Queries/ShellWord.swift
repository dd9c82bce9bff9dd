import ArgumentParser

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

    /// A continuation as the script of the requesting shell takes it; nil for one that is more than
    /// a line.
    ///
    /// The script of bash gives its lines to `compgen -W`, which expands them: a name that is in a
    /// store must not be run as a command.
    static func candidate(_ text: String) -> String? {
        candidate(text, isForBash: CompletionShell.requesting == .bash)
    }

    static func candidate(_ text: String, isForBash: Bool) -> String? {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
        guard isForBash else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            let isPlain =
                !scalar.isASCII || scalar.properties.isAlphabetic
                || scalar.properties.numericType != nil
            if !isPlain { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
