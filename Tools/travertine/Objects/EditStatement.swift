import TravertineDocuments

/// A statement of `edit`, as it is written.
///
/// ```
/// statement   add TYPE fields | set TYPE KEY fields | delete TYPE KEY | delete TYPE where
/// CONDITION fields      a document of Extended JSON | (PROPERTY=VALUE)+
/// ```
/// Words are in quotes, single or double, if they have spaces.
enum EditStatement {
    /// What properties become.
    enum Fields {
        case document(Document)
        case texts([Text])
    }

    /// A property, and the text of its value.
    struct Text {
        let name: String
        let text: String
        /// Whether the value was in quotes: then no word in it has a meaning.
        let isQuoted: Bool
    }

    case add(type: String, Fields)
    case set(type: String, key: String, Fields)
    case delete(type: String, key: String)
    case deleteWhere(type: String, condition: String)

    init(_ text: String) throws {
        var scanner = WordScanner(text)
        switch scanner.word()?.text.lowercased() {
        case "add":
            self = .add(type: try Self.type(&scanner), try Self.fields(&scanner))
        case "set":
            let type = try Self.type(&scanner)
            guard let key = scanner.word() else { throw Self.usage("set takes a type and a key.") }
            self = .set(type: type, key: key.text, try Self.fields(&scanner))
        case "delete":
            let type = try Self.type(&scanner)
            guard let key = scanner.word() else {
                throw Self.usage("delete takes a type and a key, or WHERE and a condition.")
            }
            if !key.isQuoted, key.text.lowercased() == "where" {
                guard !scanner.rest.isEmpty else {
                    throw Self.usage("there is no condition after “\(key.text)”.")
                }
                self = .deleteWhere(type: type, condition: scanner.rest)
                return
            }
            guard scanner.rest.isEmpty else {
                throw Self.usage(
                    "“\(scanner.rest)” follows the key. A key with spaces is in quotes.")
            }
            self = .delete(type: type, key: key.text)
        case let word?:
            throw Self.usage("a statement begins with add, set or delete, and not with “\(word)”.")
        case nil: throw Self.usage("the statement is empty. It begins with add, set or delete.")
        }
    }

    private static func type(_ scanner: inout WordScanner) throws -> String {
        guard let word = scanner.word() else { throw usage("say which object type.") }
        return word.text
    }

    private static func fields(_ scanner: inout WordScanner) throws -> Fields {
        if scanner.rest.hasPrefix("{") {
            do {
                return .document(try Document(extendedJSON: scanner.rest))
            } catch {
                throw usage("the document can't be read: \(error)".asSentence)
            }
        }
        var texts: [Text] = []
        while !scanner.rest.isEmpty {
            guard let name = scanner.name(), let value = scanner.word(orEmpty: true) else {
                throw usage(
                    "“\(scanner.rest)” is no change. Properties are PROPERTY=VALUE, or a document in "
                        + "braces.")
            }
            texts.append(Text(name: name, text: value.text, isQuoted: value.isQuoted))
        }
        guard !texts.isEmpty else {
            throw usage("say what properties become: PROPERTY=VALUE, or a document in braces.")
        }
        return .texts(texts)
    }

    private static func usage(_ message: String) -> CommandError {
        CommandError(ExitStatus.usage, message)
    }
}

/// Words of a statement, some of them in quotes.
private struct WordScanner {
    private var characters: Substring

    init(_ text: String) {
        characters = text[...]
        skipSpace()
    }

    /// What was not read yet, without white space around it.
    var rest: String {
        var rest = characters
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    private mutating func skipSpace() {
        characters = characters.drop(while: \.isWhitespace)
    }

    /// The next word, and whether it begins with a quote; nil at the end, and where a quote is not
    /// closed.
    ///
    /// - Parameter allowsEmpty: whether white space is an empty word.
    mutating func word(orEmpty allowsEmpty: Bool = false) -> (text: String, isQuoted: Bool)? {
        guard let first = characters.first, allowsEmpty || !first.isWhitespace else {
            return allowsEmpty ? ("", false) : nil
        }
        if first == "'" || first == "\"" {
            let inner = characters.dropFirst()
            guard let end = inner.firstIndex(of: first) else { return nil }
            let after = inner[inner.index(after: end)...]
            guard after.first?.isWhitespace ?? true else { return nil }
            characters = after
            skipSpace()
            return (String(inner[..<end]), true)
        }
        let word = characters.prefix { !$0.isWhitespace }
        characters = characters[word.endIndex...]
        skipSpace()
        return (String(word), false)
    }

    /// The name before `=`; nil if there is none.
    mutating func name() -> String? {
        guard let end = characters.firstIndex(of: "="), end > characters.startIndex,
            !characters[..<end].contains(where: \.isWhitespace)
        else { return nil }
        let name = String(characters[..<end])
        characters = characters[characters.index(after: end)...]
        return name
    }
}
