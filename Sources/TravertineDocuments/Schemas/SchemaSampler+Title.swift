extension SchemaSampler {
    /// The name of an object type for documents of a collection: a singular noun, capitalised.
    ///
    /// "dogs" gives "Dog", "user_profiles" "UserProfile", "people" "Person", "status" "Status".
    public static func title(forCollection collection: String) -> String {
        var words = collection.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        if let last = words.popLast() { words.append(singular(last)) }
        let title = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        if title.isEmpty { return "Document" }
        // A name of Swift does not begin with a digit.
        return title.first?.isNumber == true ? "Type" + title : title
    }

    private static let irregular = [
        "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
        "geese": "goose", "feet": "foot", "teeth": "tooth", "oxen": "ox", "indices": "index",
        "vertices": "vertex", "matrices": "matrix", "analyses": "analysis", "data": "data",
        "movies": "movie", "cookies": "cookie", "lives": "life", "wives": "wife",
        "knives": "knife", "leaves": "leaf", "shelves": "shelf", "wolves": "wolf",
        "halves": "half", "statuses": "status", "buses": "bus", "addresses": "address",
    ]
    private static let unchanged: Set<String> = [
        "series", "species", "news", "sheep", "fish", "media", "metadata", "gas", "lens", "bus",
        "always", "yes",
    ]

    /// The singular of an English noun, in the letters that it was written with.
    static func singular(_ noun: String) -> String {
        let small = noun.lowercased()
        if unchanged.contains(small) { return noun }
        if let word = irregular[small] {
            return noun.first?.isUppercase == true
                ? word.prefix(1).uppercased() + word.dropFirst() : word
        }
        // A compound such as "userAddresses" ends in a word of its own.
        if let start = noun.lastIndex(where: \.isUppercase), start != noun.startIndex,
            noun[noun.index(before: start)].isLowercase
        {
            return noun[..<start] + singular(String(noun[start...]))
        }
        if small.hasSuffix("ies"), small.utf8.count > 4 {
            return noun.dropLast(3) + "y"
        }
        let endings = ["sses", "shes", "ches", "xes", "zzes"]
        if endings.contains(where: small.hasSuffix) { return String(noun.dropLast(2)) }
        let kept = ["ss", "us", "is"]
        if small.hasSuffix("s"), small.count > 2, !kept.contains(where: small.hasSuffix) {
            return String(noun.dropLast())
        }
        return noun
    }
}
