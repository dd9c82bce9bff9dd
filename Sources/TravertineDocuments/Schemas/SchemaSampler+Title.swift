extension SchemaSampler {
    /// The name of an object type for documents of a collection: a singular noun, capitalised.
    ///
    /// "dogs" gives "Dog", "user_profiles" "UserProfile", "people" "Person", "status" "Status".
    /// English plurals are known, irregular ones among them; other words lose an "s" at most.
    public static func title(forCollection collection: String) -> String {
        var words = collection.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        if let last = words.popLast() { words.append(SingularNoun.of(last)) }
        let title = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        if title.isEmpty { return "Document" }
        // A name of Swift does not begin with a digit.
        return title.first?.isNumber == true ? "Type" + title : title
    }
}
