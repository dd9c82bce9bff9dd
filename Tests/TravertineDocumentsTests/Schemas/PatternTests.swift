import Testing

@testable import TravertineDocuments

@Suite("Patterns of schemas")
struct PatternTests {
    private func problems(_ pattern: String, _ text: String) throws -> [String] {
        let name = DocumentSchema.Property(
            "name",
            ValueSchema(
                .scalar(.string),
                constraints: [DocumentSchema.Constraint("pattern", .string(pattern))]))
        let validator = DocumentValidator(DocumentSchema(title: "A", properties: [name]))
        #expect(validator.unchecked.isEmpty)
        return validator.problems(in: ["name": .string(text)]).map(\.description)
    }

    @Test("a pattern is looked for anywhere, by scalars")
    func matching() throws {
        #expect(try problems("^[A-Z]", "Ab").isEmpty && problems("b", "abc").isEmpty)
        #expect(try problems("^.$", "\u{1F600}").isEmpty && problems(#"^\p{L}+$"#, "Äé").isEmpty)
        #expect(try problems("^(?=.*[0-9])(?=.*[a-z]).{3,}$", "a1b").isEmpty)
        #expect(try problems("", "").isEmpty)
        #expect(try problems("^[A-Z]", "ab") == [#"name: does not match "^[A-Z]""#])
    }

    @Test("a pattern that takes exponential time is given up, and the document refused")
    func exponential() throws {
        for pattern in [
            "(a+)+$", "^(a|a)*$", "(a*)*c", #"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*$"#,
        ] {
            let text = String(repeating: "a", count: 40) + "!"
            let found = try problems(pattern, text)
            #expect(
                found == [
                    "name: can't be checked: \"\(pattern)\" takes too long on this text; write the "
                        + "pattern so that it tries fewer ways"
                ])
        }
        let text = String(repeating: "a", count: 40) + "b"
        #expect(try problems("(a+)+$", text).first?.contains("takes too long") == true)
        // So does one on a long text, at each of its places.
        let long = String(repeating: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", count: 3_000)
        #expect(try problems("(a+)+$", long).first?.contains("takes too long") == true)
    }

    @Test("a long text has the steps that it needs, and memory that is not enough is reported")
    func longTexts() throws {
        let long = String(repeating: "ab ", count: 300_000)
        #expect(try problems("^[a-z ]*$", long).isEmpty)
        #expect(try problems("c$", long) == [#"name: does not match "c$""#])
        let found = try problems("^(a|b| )*c", String(repeating: "ab ", count: 1_000_000))
        #expect(found.first?.contains("can't be checked") == true, "\(found)")
    }

    @Test("what is no regular expression is reported as unchecked")
    func invalid() {
        let name = DocumentSchema.Property(
            "name",
            ValueSchema(
                .scalar(.string),
                constraints: [DocumentSchema.Constraint("pattern", .string("(a"))]))
        let validator = DocumentValidator(DocumentSchema(title: "A", properties: [name]))
        #expect(validator.unchecked == [#"name: "pattern""#])
        #expect(validator.problems(in: ["name": "x"]).isEmpty)
    }
}
