import Travertine

@testable import PostgreSQLSync

extension SyncFixture {
    /// What differs between the tables of two schemas: names, columns, and rows, which are compared
    /// both ways and with their numbers.
    func differences(_ left: String, _ right: String) throws -> [String] {
        let tables = try self.tables(left)
        let others = try self.tables(right)
        if tables != others { return ["tables \(tables), not \(others)"] }
        return try tables.flatMap { try differences(ofTable: $0, left, right) }
    }

    private func differences(
        ofTable table: String, _ left: String, _ right: String
    ) throws -> [String] {
        let columns = try self.columns(table, left).sorted()
        let others = try self.columns(table, right).sorted()
        if columns != others { return ["\(table): columns \(columns), not \(others)"] }
        // As texts, so that -0 is another number than 0.
        let list = columns.map { "\($0.quoted)::text" }.joined(separator: ", ")
        func select(_ schema: String) -> String {
            "SELECT \(list) FROM \(schema.quoted).\(table.quoted)"
        }
        var found: [String] = []
        for (one, other) in [(left, right), (right, left)] {
            let rows = try lines("\(select(one)) EXCEPT ALL \(select(other))")
            found += rows.map { "\(one).\(table) alone has \($0)" }
        }
        let counts = try [left, right].map {
            try value("SELECT count(*) FROM \($0.quoted).\(table.quoted)")
        }
        if counts[0] != counts[1] { found.append("\(table): \(counts)") }
        return found
    }

    /// The tables of a realm's feed differ in that from a copy that is made now.
    func differencesFromFreshCopy(_ realm: Realm, types: [String]? = nil) throws -> [String] {
        try differences(schema, freshCopy(realm, types: types))
    }
}
