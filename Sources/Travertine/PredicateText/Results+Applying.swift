extension Results {
    /// The elements that fulfil what a text says, in its order.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message has the place in the text.
    func applying(_ parsed: ParsedQuery) throws -> Results {
        throw Realm.Error(.invalidInput, "not wired: \(parsed.expression)")
    }
}
