/// The words of predicate texts.
enum PredicateWords {
    /// Comparisons that are words.
    static let comparisons: [String: Comparison.Operation] = [
        "IN": .isIn, "BETWEEN": .isBetween, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
        "ENDSWITH": .endsWith, "LIKE": .like,
    ]

    /// Comparisons that are symbols.
    static let comparisonSymbols: [String: Comparison.Operation] = [
        "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less,
        "<=": .lessOrEqual, "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
        "=>": .greaterOrEqual,
    ]

    static let quantifiers: [String: Comparison.Quantifier] = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
    ]

    /// Words between operands or conditions, and those before comparisons.
    static let operators: Set<String> =
        Set(comparisons.keys).union(quantifiers.keys)
        .union(["AND", "OR", "NOT", "TEXT", "GEOWITHIN", "MATCHES"])

    /// Words that are values or conditions by themselves.
    static let values: Set<String> = [
        "TRUE", "YES", "FALSE", "NO", "NULL", "NIL", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
        "INFINITY", "INF", "NAN",
    ]

    /// Functions whose argument may be written without quotes.
    static let rawFunctions: Set<String> = ["uuid", "oid", "decimal", "float", "date"]

    /// Functions whose arguments are read as values.
    static let functions: Set<String> = [
        "subquery", "list", "obj", "cast", "geobox", "geocircle", "geopolygon",
    ]

    static let descriptors = ["SORT", "DISTINCT", "LIMIT", "OFFSET", "FILTER"]

    /// Symbols of two characters.
    static let pairSymbols: Set<String> = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||",
    ]

    /// What `@` begins, with what it is.
    static let aggregates: [String: Aggregate] = [
        "COUNT": .count, "SIZE": .count, "MIN": .least, "MAX": .greatest, "AVG": .mean,
        "AVERAGE": .mean, "SUM": .sum,
    ]

    /// What `@` begins.
    static let collectionOperators = [
        "@count", "@size", "@min", "@max", "@avg", "@sum", "@keys", "@allKeys", "@values",
        "@allValues", "@type", "@links",
    ]

    /// What can follow an operand.
    static let betweenOperands =
        Array(comparisons.keys).sorted() + ["AND", "GEOWITHIN", "OR", "TEXT"] + descriptors

    /// A word in capital letters, as the tables of this type have it; another text as it is.
    static func keyword(_ word: String) -> String {
        word.utf8.allSatisfy { $0 < 0x80 } ? word.uppercased() : word
    }

    /// What to write in place of a word that is at the wrong place: " Did you mean CONTAINS?"
    static func advice(on word: String) -> String {
        let keyword = keyword(word)
        switch keyword {
        case "NOT": return " Write NOT before the whole comparison."
        case "IS": return " Write == NULL or != NULL."
        case "ORDER": return " Write SORT(name ASC)."
        case _ where descriptors.contains(keyword): return " Write \(keyword)(…)."
        default: break
        }
        let near = NearNames.near(word, among: betweenOperands).filter { $0 != keyword }
        return near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
    }

    /// Whether a property of this name must be written with `#`.
    static func isReserved(_ name: String) -> Bool {
        let word = keyword(name)
        return operators.contains(word) || values.contains(word)
    }

    /// A property's name as a text has it: with `#` where it is a reserved word, and in quotes too
    /// where it has other characters than a name.
    static func written(_ name: String) -> String {
        guard PredicateLexer.isName(name) else { return "#" + quoted(name) }
        return isReserved(name) ? "#" + name : name
    }

    /// A string as a text has it.
    static func quoted(_ string: String) -> String {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x0A: text += Array(#"\n"#.utf8)
            case 0x09: text += Array(#"\t"#.utf8)
            case 0x0D: text += Array(#"\r"#.utf8)
            case 0..<0x20, 0x7F:
                let digits = Array("0123456789abcdef".utf8)
                text += Array(#"\u00"#.utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: text.append(byte)
            }
        }
        return String(decoding: text + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
