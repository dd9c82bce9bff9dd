/// A condition and what is done with what it finds: what a query text says.
struct QueryExpression: Hashable {
    var predicate: Predicate
    /// In the order in which they apply.
    var descriptors: [ResultsDescriptor]

    init(_ predicate: Predicate, _ descriptors: [ResultsDescriptor] = []) {
        self.predicate = predicate
        self.descriptors = descriptors
    }
}

/// What is wrong with a query, and where: thrown by everything that reads one.
struct QueryProblem: Error, Hashable {
    /// What is wrong and what would be right, as a sentence.
    var message: String
    /// The operand that it concerns, numbered from 0 in the order of the text: each constant, list,
    /// path, aggregate and subquery (its path first, then the operands inside), and the names of
    /// sorting after them. Nil for the whole.
    var operand: Int?

    init(message: String, operand: Int? = nil) {
        self.message = message
        self.operand = operand
    }
}

/// All that is wrong with a query.
struct QueryProblems: Error {
    var problems: [QueryProblem]

    /// One line for each.
    var message: String { problems.map(\.message).joined(separator: "\n") }
}
