extension Results {
    /// The elements that fulfil what a text says, in its order.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message has the place in the text.
    func applying(_ parsed: ParsedQuery) throws -> Results {
        do throws(QueryProblems) {
            return try applying(parsed.expression)
        } catch {
            throw Realm.Error(.invalidInput, parsed.message(for: error.problems))
        }
    }
}
