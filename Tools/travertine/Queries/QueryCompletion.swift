import Foundation
import Travertine

/// What a query that is being typed can go on with: types, then words, properties and functions.
struct QueryCompletion {
    private let types: [ObjectSchema]

    init(_ realm: Realm) {
        types = realm.schema.objectSchema.sorted { $0.objectTypeName < $1.objectTypeName }
    }

    /// What can follow a type.
    private static let afterType = ["where", "SORT(", "DISTINCT(", "LIMIT("]

    /// What can follow elsewhere, beside properties.
    private static let words = [
        "ALL", "AND", "ANY", "BEGINSWITH", "BETWEEN", "CONTAINS", "DISTINCT(", "ENDSWITH", "FALSE",
        "GEOWITHIN", "IN", "LIKE", "LIMIT(", "NIL", "NONE", "NOT", "OR", "SORT(", "SUBQUERY(",
        "TEXT", "TRUE",
    ]

    /// Operators after a collection.
    private static let collectionOperators = ["@count", "@min", "@max", "@sum", "@avg"]

    /// The query with each continuation of its last word.
    func candidates(for text: String) -> [String] {
        let start = Self.lastWord(of: text)
        let before = String(text[..<start])
        return words(after: before, String(text[start...])).map { before + $0 }
    }

    /// Continuations of a word of a query.
    ///
    /// - Parameters:
    ///   - before: the text before the word.
    ///   - word: the beginning of the word.
    func words(after before: String, _ word: String) -> [String] {
        if before.allSatisfy(\.isWhitespace) {
            return types.filter { !$0.isAsymmetric }.map {
                QueryText.written(type: $0.objectTypeName)
            }
            .filter { Self.begins($0, with: word) }
        }
        guard let type = type(of: before) else { return [] }
        let written = QueryText.written(type: type.objectTypeName)
        if before.drop(while: \.isWhitespace).dropFirst(written.count).allSatisfy(\.isWhitespace) {
            return Self.afterType.filter { Self.begins($0, with: word) }
        }
        return names(word, of: type)
    }

    /// The properties of a type and the words that continue a word, which may be a path along
    /// links.
    private func names(_ word: String, of type: ObjectSchema) -> [String] {
        var steps = word.components(separatedBy: ".")
        let last = steps.removeLast()
        var owner = type
        for step in steps {
            guard let target = owner[step]?.objectClassName,
                let next = types.first(where: { $0.objectTypeName == target })
            else { return Self.completed(Self.collectionOperators, last, after: steps) }
            owner = next
        }
        let names = owner.properties.map { Self.written(property: $0.columnName) }
        let others = steps.isEmpty ? Self.words : Self.collectionOperators
        return Self.completed(names + others, last, after: steps)
    }

    private static func completed(
        _ names: [String], _ word: String, after steps: [String]
    ) -> [String] {
        names.filter { begins($0, with: word) }.map { (steps + [$0]).joined(separator: ".") }
    }

    /// The type that a query begins with.
    private func type(of text: String) -> ObjectSchema? {
        let name = types.map(\.objectTypeName)
            .filter { name in
                let written = QueryText.written(type: name)
                let trimmed = text.drop(while: \.isWhitespace)
                return trimmed.hasPrefix(written)
                    && trimmed.dropFirst(written.count).first?.isWhitespace ?? false
            }.max { $0.count < $1.count }
        return types.first { $0.objectTypeName == name }
    }

    /// A property as a query has it: with `#` if it is a word of the language, and in quotes too if
    /// it is no name.
    static func written(property name: String) -> String {
        let isName =
            name.first?.isNumber == false
            && name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
        guard isName else {
            let escaped = name.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"")
            return "#\"\(escaped)\""
        }
        return words.contains(name.uppercased()) ? "#" + name : name
    }

    private static func begins(_ name: String, with word: String) -> Bool {
        name.lowercased().hasPrefix(word.lowercased())
    }

    /// Where the word begins that is being typed.
    private static func lastWord(of text: String) -> String.Index {
        let end = text.lastIndex { !($0.isLetter || $0.isNumber || "_.@#".contains($0)) }
        return end.map { text.index(after: $0) } ?? text.startIndex
    }
}

/// Completion for the shell, which passes the words of the whole command line with their quotes.
extension QueryCompletion {
    /// Continuations of the argument with the query.
    static func candidates(for prefix: String, in words: [String]) -> [String] {
        let found = completion(words)?.candidates(for: ShellWord.unquoted(prefix)) ?? []
        return found.compactMap(ShellWord.candidate)
    }

    /// Continuations of the name of a type.
    static func types(for prefix: String, in words: [String]) -> [String] {
        let names = completion(words)?.types.filter { !$0.isAsymmetric }.map(\.objectTypeName) ?? []
        let typed = ShellWord.unquoted(prefix)
        return names.filter { begins($0, with: typed) }.compactMap(ShellWord.candidate)
    }

    /// Continuations of the names in --columns.
    static func columns(for prefix: String, in words: [String]) -> [String] {
        guard let completion = completion(words),
            let type = words.lazy.compactMap({
                completion.type(of: ShellWord.unquoted($0) + " ")
            }).first
        else { return [] }
        var names = ShellWord.unquoted(prefix).components(separatedBy: ",")
        let last = names.removeLast()
        return type.properties.map(\.columnName)
            .filter { begins($0, with: last) && !names.contains($0) }
            .compactMap { ShellWord.candidate((names + [$0]).joined(separator: ",")) }
    }

    /// The types of the first argument that is a database; nil if there is none that can be read.
    private static func completion(_ words: [String]) -> QueryCompletion? {
        for word in words.dropFirst().map(ShellWord.unquoted) {
            let manifest = URL(fileURLWithPath: word).appendingPathComponent("manifest")
            guard FileManager.default.fileExists(atPath: manifest.path) else { continue }
            do {
                return QueryCompletion(try StoredTypes.realm(word, forReading: true))
            } catch {
                // A shell that completes has no place for messages.
                return nil
            }
        }
        return nil
    }
}
