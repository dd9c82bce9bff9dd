/// The sections of an AWS configuration file: `[name]`, then lines `key = value`.
///
/// Lines that begin with `#` or `;` are comments, and so is what follows a blank and one of these.
/// Indented lines belong to nested settings, of which none matters here. A section that appears
/// twice is merged, the later value wins. Source of the format: "Configuration and credential file
/// settings" in the guide to the AWS command line.
struct ProfileFile {
    private(set) var sections: [String: [String: String]] = [:]

    /// The largest file that is read.
    static let byteCountMax = 1 << 20

    /// Parses a file's text; throws `StorageConfigurationError.unreadableFile` with the number of
    /// the first line that is neither a section nor a setting nor a comment. The line itself is not
    /// quoted: it may hold a secret.
    init(text: String, path: String) throws {
        var section: String?
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#", first != ";"
            else { continue }
            if line.first?.isWhitespace == true, section != nil { continue }
            let content = Self.withoutComment(line)
            if content.hasPrefix("["), content.hasSuffix("]") {
                let name = content.dropFirst().dropLast().split { $0.isWhitespace }
                section = name.joined(separator: " ")
                sections[section!, default: [:]].merge([:]) { $1 }
                continue
            }
            guard let section, let equals = content.firstIndex(of: "=") else {
                throw StorageConfigurationError.unreadableFile(
                    path: path, reason: "line \(index + 1) is neither a section nor a setting")
            }
            let key = Self.trimmed(content[..<equals]).lowercased()
            sections[section, default: [:]][key] =
                Self.trimmed(content[content.index(after: equals)...])
        }
    }

    private static func withoutComment(_ line: Substring) -> String {
        var previousIsBlank = false
        for index in line.indices {
            if previousIsBlank, line[index] == "#" || line[index] == ";" {
                return trimmed(line[..<index])
            }
            previousIsBlank = line[index].isWhitespace
        }
        return trimmed(line)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? start
        return String(text[start..<end])
    }
}
