/// What is wrong with a full-text query, and where: offsets of UTF-8 bytes.
struct FullTextSyntaxError: Error, Equatable {
    var message: String
    var range: Range<Int>
}

/// Reads full-text queries; the grammar is in `Documentation/Queries.md`.
struct FullTextParser {
    private typealias Node = FullTextQuery.Node
    private typealias Term = FullTextQuery.Term

    private let scalars: [Unicode.Scalar]
    /// Where each of them begins, and the end of the text.
    private let offsets: [Int]
    private var position = 0

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var offsets: [Int] = []
        offsets.reserveCapacity(scalars.count + 1)
        var offset = 0
        for scalar in scalars {
            offsets.append(offset)
            offset += UTF8.width(scalar)
        }
        offsets.append(offset)
        self.offsets = offsets
    }

    static func parse(_ text: String) throws(FullTextSyntaxError) -> FullTextQuery.Node {
        var parser = FullTextParser(text)
        parser.skipBlanks()
        if parser.isAtEnd { return .all([]) }
        let node = try parser.alternatives(depth: 0)
        if !parser.isAtEnd {
            throw parser.error("This parenthesis closes none.", from: parser.position)
        }
        return node
    }

    /// Whether a word is an operator where it is not in quotes.
    static func isOperator(_ word: String) -> Bool {
        word == "OR" || word == "AND" || word == "NOT" || word == "NEAR"
    }

    // MARK: Rules

    private mutating func alternatives(depth: Int) throws(FullTextSyntaxError) -> Node {
        var parts = [try conjunction(depth: depth)]
        while take(word: "OR") { parts.append(try conjunction(depth: depth)) }
        return .any(of: parts)
    }

    private mutating func conjunction(depth: Int) throws(FullTextSyntaxError) -> Node {
        var parts: [Node] = []
        while true {
            skipBlanks()
            if isAtEnd || scalars[position] == ")" || isNext(word: "OR") { break }
            if isNext(word: "AND") {
                let start = position
                position += 3
                skipBlanks()
                if parts.isEmpty || isAtEnd || scalars[position] == ")" || isNext(word: "OR")
                    || isNext(word: "AND")
                {
                    throw missing("AND", at: start)
                }
                continue
            }
            parts.append(try item(depth: depth))
        }
        if parts.isEmpty {
            if isNext(word: "OR") { throw missing("OR", at: position) }
            let isClosing = !isAtEnd
            throw error(
                isClosing
                    ? "Something to look for is missing before this parenthesis."
                    : "Something to look for is missing at the end.", from: position)
        }
        return .all(of: parts)
    }

    private mutating func item(depth: Int) throws(FullTextSyntaxError) -> Node {
        if isNext(word: "NOT") {
            let start = position
            try checkDepth(depth, at: start)
            position += 3
            skipBlanks()
            if isAtEnd || scalars[position] == ")" || isNext(word: "OR") || isNext(word: "AND") {
                throw missing("NOT", at: start)
            }
            return .not(try item(depth: depth + 1))
        }
        guard scalars[position] == "-", position + 1 < scalars.count,
            !Self.isBlank(scalars[position + 1]), scalars[position + 1] != ")"
        else { return try primary(depth: depth) }
        position += 1
        return .not(try primary(depth: depth))
    }

    private mutating func primary(depth: Int) throws(FullTextSyntaxError) -> Node {
        if scalars[position] == "(" {
            let start = position
            try checkDepth(depth, at: start)
            position += 1
            let node = try alternatives(depth: depth + 1)
            guard !isAtEnd else {
                throw error("This parenthesis is not closed.", from: start)
            }
            position += 1
            return node
        }
        if isNearNext { return try near() }
        return .term(try term(isInNear: false))
    }

    private var isNearNext: Bool {
        position + 4 < scalars.count && scalars[position + 4] == "("
            && scalars[position..<position + 4].elementsEqual("NEAR".unicodeScalars)
    }

    private mutating func near() throws(FullTextSyntaxError) -> Node {
        let start = position
        position += 5
        var terms: [Term] = []
        var distance = FullTextQuery.distanceDefault
        while true {
            skipBlanks()
            guard !isAtEnd else { throw error("NEAR is not closed by a parenthesis.", from: start) }
            if scalars[position] == ")" { break }
            if let (number, end) = distanceNext {
                guard number <= FullTextQuery.distanceMax else {
                    throw error(
                        "NEAR allows at most \(FullTextQuery.distanceMax) words between.",
                        from: position, to: end)
                }
                distance = number
                position = end
                break
            }
            guard scalars[position] != "(" else {
                throw error("NEAR takes words and phrases, no parentheses.", from: position)
            }
            let first = position
            let term = try term(isInNear: true)
            let isNegation = term.text.hasPrefix("-") && term.text.unicodeScalars.count > 1
            if !term.isPhrase, Self.isOperator(term.text) || isNegation {
                throw error(
                    "NEAR takes words and phrases, no operators.", from: first, to: position)
            }
            terms.append(term)
        }
        guard terms.count >= 2 else {
            throw error("NEAR needs two or more words or phrases.", from: start, to: position)
        }
        position += 1
        return .near(terms, distance: distance)
    }

    /// A comma with the number of `NEAR` and its closing parenthesis after it: the number, and the
    /// position of the parenthesis. Too large a number is one above the greatest.
    private var distanceNext: (number: Int, end: Int)? {
        guard position < scalars.count, scalars[position] == "," else { return nil }
        var end = position + 1
        while end < scalars.count, Self.isBlank(scalars[end]) { end += 1 }
        let first = end
        var number = 0
        while end < scalars.count, (0x30...0x39).contains(scalars[end].value) {
            number = min(
                number * 10 + Int(scalars[end].value - 0x30), FullTextQuery.distanceMax + 1)
            end += 1
        }
        if end == first { return nil }
        while end < scalars.count, Self.isBlank(scalars[end]) { end += 1 }
        return end < scalars.count && scalars[end] == ")" ? (number, end) : nil
    }

    private mutating func term(isInNear: Bool) throws(FullTextSyntaxError) -> Term {
        let start = position
        if scalars[position] == "\"" { return try phrase() }
        while !isAtEnd, !Self.isBlank(scalars[position]), !isAtDivider {
            if isInNear, position > start, distanceNext != nil { break }
            position += 1
        }
        var end = position
        while end > start, scalars[end - 1] == "*" { end -= 1 }
        if end == start { return Term(text: "*") }
        return Term(text: text(start..<end), isPrefix: end < position)
    }

    private mutating func phrase() throws(FullTextSyntaxError) -> Term {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while true {
            guard !isAtEnd else { throw error("This quote is not closed.", from: start) }
            let scalar = scalars[position]
            position += 1
            if scalar == "\"" {
                guard !isAtEnd, scalars[position] == "\"" else { break }
                position += 1
            }
            text.append(scalar)
        }
        let isPrefix = !isAtEnd && scalars[position] == "*"
        while !isAtEnd, scalars[position] == "*" { position += 1 }
        return Term(text: String(text), isPhrase: true, isPrefix: isPrefix)
    }

    // MARK: Characters

    private var isAtEnd: Bool { position >= scalars.count }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace
    }

    private mutating func skipBlanks() {
        while !isAtEnd, Self.isBlank(scalars[position]) { position += 1 }
    }

    private func text(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    /// Whether an operator is next: the word, and then a blank, a parenthesis, a quote or the end.
    private func isNext(word: String) -> Bool {
        let end = position + word.unicodeScalars.count
        guard end <= scalars.count,
            scalars[position..<end].elementsEqual(word.unicodeScalars)
        else { return false }
        return end == scalars.count || Self.isBlank(scalars[end])
            || Self.isDivider(scalars[end])
    }

    /// Whether a character ends the word before it.
    private static func isDivider(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "(" || scalar == ")"
    }

    private var isAtDivider: Bool { Self.isDivider(scalars[position]) }

    private mutating func take(word: String) -> Bool {
        skipBlanks()
        guard isNext(word: word) else { return false }
        position += word.unicodeScalars.count
        return true
    }

    // MARK: Errors

    private func checkDepth(_ depth: Int, at place: Int) throws(FullTextSyntaxError) {
        if depth >= FullTextQuery.depthMax {
            throw error(
                "Parentheses and NOT are nested more than \(FullTextQuery.depthMax) deep.",
                from: place)
        }
    }

    private func missing(_ word: String, at place: Int) -> FullTextSyntaxError {
        let sides = word == "NOT" ? "after it" : "on both sides"
        return error(
            "\(word) needs something to look for \(sides). Write it in lower case or in quotes to "
                + "look for the word.", from: place, to: place + word.utf8.count)
    }

    private func error(
        _ message: String, from start: Int, to end: Int? = nil
    ) -> FullTextSyntaxError {
        let first = min(start, scalars.count)
        let last = min(max(end ?? (start + 1), first), scalars.count)
        return FullTextSyntaxError(message: message, range: offsets[first]..<offsets[last])
    }
}
