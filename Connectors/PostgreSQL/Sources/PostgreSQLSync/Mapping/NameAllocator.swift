import PostgreSQLClient

/// Names in SQL that are all different, and stay what they were.
struct NameAllocator {
    private var taken: Set<String> = []

    /// Names that something has already.
    init(taken: some Sequence<String> = []) { self.taken = Set(taken) }

    mutating func reserve(_ name: String) { taken.insert(name) }

    func isTaken(_ name: String) -> Bool { taken.contains(name) }

    /// A name, shortened as PostgreSQL needs it, and with a number where something else has it.
    mutating func name(_ wanted: String) throws(PostgreSQLError) -> String {
        var number = 1
        while true {
            let candidate = try SQLIdentifier(number == 1 ? wanted : "\(wanted)_\(number)").name
            if taken.insert(candidate).inserted { return candidate }
            number += 1
        }
    }
}

extension String {
    /// As an identifier in SQL.
    var quoted: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
