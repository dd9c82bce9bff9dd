import Foundation

/// A manual page in the macros of man(7), made from the declaration of a command.
struct ManualPage {
    /// The name: `travertine-export`.
    let name: String
    private let words: [String]
    private let command: CommandDescription
    private let related: [String]

    /// The pages of a command and of those below it.
    static func all(of command: CommandDescription) -> [ManualPage] {
        let paths = self.paths(of: command, after: [])
        let names = paths.map { ($0.0 + [$0.1.commandName]).joined(separator: "-") }
        return zip(paths, names).map { path, name in
            ManualPage(
                name: name, words: path.0 + [path.1.commandName], command: path.1,
                related: names.filter { $0 != name })
        }
    }

    private static func paths(
        of command: CommandDescription, after words: [String]
    ) -> [([String], CommandDescription)] {
        [(words, command)]
            + command.listedSubcommands.flatMap {
                paths(of: $0, after: words + [command.commandName])
            }
    }

    /// The page.
    var text: String {
        var lines = [
            ".TH \(Self.plain(name.uppercased())) 1 \"\" \"travertine \(TravertineCommand.version)\" "
                + "\"Travertine\"",
            ".SH NAME", "\(Self.plain(name)) \\- \(Self.plain(command.abstract ?? ""))",
            ".SH SYNOPSIS", ".B \(Self.plain(words.joined(separator: " ")))",
        ]
        lines += shownArguments.map(Self.synopsis)
        if !command.listedSubcommands.isEmpty { lines.append("\\fIcommand\\fR") }
        let (body, statuses) = discussion
        if !body.isEmpty { lines += [".SH DESCRIPTION"] + Self.paragraphs(body) }
        lines += options
        if !command.listedSubcommands.isEmpty {
            lines.append(".SH COMMANDS")
            for sub in command.listedSubcommands {
                lines += [
                    ".TP", ".B \(Self.plain(sub.commandName))", Self.plain(sub.abstract ?? ""),
                ]
            }
        }
        if let statuses { lines += [".SH EXIT STATUS"] + Self.list(statuses) }
        let others = related.map { "\\fB\(Self.plain($0))\\fR(1)" }
        lines += [".SH SEE ALSO", others.joined(separator: ",\n")]
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Sections

    private var shownArguments: [CommandDescription.Argument] {
        (command.arguments ?? []).filter { $0.shouldDisplay }
    }

    /// The discussion, and what of it says which statuses there are.
    private var discussion: (body: [String], statuses: String?) {
        var parts = (command.discussion ?? "").components(separatedBy: "\n\n")
            .filter { !$0.isEmpty }
        guard let place = parts.lastIndex(where: { $0.hasPrefix("Statuses") }) else {
            return (parts, nil)
        }
        let statuses = parts.remove(at: place)
        return (parts, statuses)
    }

    private var options: [String] {
        let positional = shownArguments.filter { $0.kind == "positional" }
        let others = shownArguments.filter { $0.kind != "positional" }
        var lines: [String] = []
        for (title, arguments) in [("ARGUMENTS", positional), ("OPTIONS", others)]
        where !arguments.isEmpty {
            lines.append(".SH \(title)")
            for argument in arguments {
                lines += [".TP", Self.heading(argument), Self.sentence(argument)]
            }
        }
        return lines
    }

    private static func heading(_ argument: CommandDescription.Argument) -> String {
        let value = "\\fI\(plain(argument.valueName ?? ""))\\fR"
        guard argument.kind != "positional" else { return value }
        // The short name first, as is usual.
        let names = (argument.names ?? []).sorted { $0.name.count < $1.name.count }
            .map { "\\fB\(plain($0.shown))\\fR" }.joined(separator: ", ")
        return argument.kind == "option" ? names + " " + value : names
    }

    private static func sentence(_ argument: CommandDescription.Argument) -> String {
        var text = plain(argument.abstract ?? "")
        if let values = argument.allValues, !values.isEmpty {
            text += " One of: " + plain(values.joined(separator: ", ")) + "."
        }
        return text
    }

    private static func synopsis(_ argument: CommandDescription.Argument) -> String {
        var text = heading(argument)
        if let names = argument.names, let first = names.max(by: { $0.name.count < $1.name.count })
        {
            text = "\\fB\(plain(first.shown))\\fR"
            if argument.kind == "option" { text += " \\fI\(plain(argument.valueName ?? ""))\\fR" }
        }
        if argument.isOptional { text = "[" + text + "]" }
        return argument.isRepeating ? text + "..." : text
    }

    // MARK: Text

    /// Paragraphs; lines that are indented are examples.
    private static func paragraphs(_ parts: [String]) -> [String] {
        parts.flatMap { part -> [String] in
            var lines = [".PP"]
            var isExample = false
            for line in part.components(separatedBy: "\n") {
                if line.hasPrefix("  ") != isExample {
                    isExample.toggle()
                    lines.append(isExample ? ".RS 4\n.EX" : ".EE\n.RE")
                }
                lines.append(plain(isExample ? String(line.dropFirst(2)) : line))
            }
            return lines + (isExample ? [".EE", ".RE"] : [])
        }
    }

    /// Statuses with their meanings: `Statuses: 0 done; 64 wrong arguments.`
    private static func list(_ text: String) -> [String] {
        guard let colon = text.firstIndex(of: ":") else { return paragraphs([text]) }
        var list = text[text.index(after: colon)...].drop { $0 == " " }
        if list.last == "." { list.removeLast() }
        return list.components(separatedBy: "; ").flatMap { item -> [String] in
            let words = item.split(separator: " ", maxSplits: 1)
            guard words.count == 2, Int(words[0]) != nil else { return [plain(item)] }
            return [".TP", ".B \(words[0])", plain(String(words[1]))]
        }
    }

    /// Text whose characters mean themselves.
    private static func plain(_ text: String) -> String {
        var result = text.hasPrefix(".") ? "\\&" : ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return result
    }
}
