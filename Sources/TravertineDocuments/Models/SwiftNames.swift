/// Makes names of Swift of stored ones.
enum SwiftNames {
    /// Names of types that a class may not hide.
    static let reservedTypes: Set<String> = [
        "Any", "AnyRealmValue", "Array", "AsymmetricObject", "Bool", "Character", "Data", "Date",
        "Decimal128", "Dictionary", "Double", "EmbeddedObject", "Error", "Float", "Int",
        "LinkingObjects", "List", "Map", "MutableSet", "Never", "Object", "ObjectBase", "ObjectId",
        "Optional", "Persisted", "Projection", "Protocol", "Realm", "Results", "Self", "Set",
        "String", "Type", "UInt", "UUID", "Void",
    ]

    /// Names of members that objects have already.
    static let reservedMembers: Set<String> = [
        "Protocol", "className", "copy", "description", "detached", "freeze", "hash", "hashValue",
        "init",
        "invalidate", "isEqual", "isFrozen", "isInvalidated", "isSameObject", "lastReference",
        "objectSchema", "objectTypeName", "observe", "parent", "primaryKey", "propertiesMapping",
        "realm", "self", "set", "setValue", "sharedSchema", "subscript", "thaw", "value", "Type",
    ]

    /// Words that need backticks as names of members.
    private static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is",
        "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
        "rethrows", "return", "static", "struct", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]

    /// A name as it is written where it is declared.
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// A text as a literal.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case let control where control.value < 0x20 || control.value == 0x7F:
                result += "\\u{" + String(control.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The class of a type: the title itself if Swift can write it, else its words, capitalised.
    static func typeName(_ title: String) -> String {
        if isIdentifier(title), title.first?.isUppercase == true { return title }
        let joined = words(title).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        if joined.isEmpty { return "Document" }
        return joined.first?.isNumber == true ? "Type" + joined : joined
    }

    /// The property of a field.
    static func memberName(_ name: String, _ naming: SwiftModels.Naming) -> String {
        if isIdentifier(name), naming == .stored || !name.drop(while: { $0 == "_" }).contains("_") {
            return name
        }
        let underscores = name.prefix { $0 == "_" }
        let words = words(name)
        guard let first = words.first else {
            return "_" + String(repeating: "_", count: name.count)
        }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let joined = first.prefix(1).lowercased() + first.dropFirst() + rest
        let isNumber = joined.first?.isNumber == true
        return (underscores.isEmpty && isNumber ? "_" : String(underscores)) + joined
    }

    /// The name, or the name with the first number that makes it a new one, whose file is a new one
    /// also where small and capital letters are the same.
    static func uniqueType(_ name: String, _ used: inout Set<String>) -> String {
        var candidate = name
        var number = 2
        while reservedTypes.contains(candidate) || !used.insert(candidate.lowercased()).inserted {
            candidate = name + String(number)
            number += 1
        }
        return candidate
    }

    /// The name, or with a number, of a property whose wrapper is stored under `_name`. A name that
    /// another property is stored under would be both.
    static func uniqueMember(
        _ name: String, _ used: inout Set<String>, of storedName: String = "",
        among storedNames: Set<String> = []
    ) -> String {
        var candidate = name
        var number = 2
        while used.contains(candidate) || used.contains("_" + candidate)
            || (candidate != storedName && storedNames.contains(candidate))
        {
            candidate = name + String(number)
            number += 1
        }
        used.formUnion([candidate, "_" + candidate])
        return candidate
    }

    /// Runs of letters and digits.
    private static func words(_ text: String) -> [Substring] {
        text.split { !isLetter($0) && !isDigit($0) }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.first, isLetter(first) || first == "_" else { return false }
        return text != "_"
            && text.allSatisfy { isLetter($0) || isDigit($0) || $0 == "_" }
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }

    private static func isLetter(_ character: Character) -> Bool {
        character.isLetter && character.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }
}
