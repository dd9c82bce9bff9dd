import Travertine

/// Some rows of a table.
struct RowsRequest: Decodable, Sendable {
    var query: QueryDescription
    var from: Int
    var count: Int
    /// Whether each row has what its object is called where a link to it is shown.
    var hasLabels: Bool?

    /// Rows of one answer.
    static let countLimit = 500
}

/// How the objects of a table are found.
struct PlanRequest: Decodable, Sendable {
    var query: QueryDescription
    /// Whether the query is run too.
    var isRun: Bool
}

extension RealmExplorer {
    /// The rows at some positions, and how many there are.
    func rows(_ request: RowsRequest) throws -> JSON {
        guard request.from >= 0, 0...RowsRequest.countLimit ~= request.count else {
            throw RequestFailure(
                422, "At most \(RowsRequest.countLimit) rows are sent, from a position on.")
        }
        let start = ContinuousClock.now
        let query = try query(request.query)
        let type = try type(request.query.type)
        let total = try query.count()
        let first = min(request.from, total)
        let cells = cells
        let rows = (first..<min(total, first + request.count)).map { position -> JSON in
            let object = query.results[position]
            var members: [(String, JSON)] = [
                ("id", .string(references.address(of: object))),
                (
                    "c",
                    .array(
                        type.properties.map {
                            cells.cell(object[$0.name], isMixed: $0.type == .any)
                        })
                ),
            ]
            if request.hasLabels == true {
                members.append(("l", .string(ObjectLabel.text(object))))
            }
            return .object(members)
        }
        try throwDamage(type)
        let duration = start.duration(to: .now).components
        return .object([
            ("version", .number(version)), ("total", .number(total)), ("from", .number(first)),
            ("rows", .array(rows)),
            (
                "microseconds",
                .number(
                    Int(duration.seconds) * 1_000_000
                        + Int(duration.attoseconds / 1_000_000_000_000))
            ),
        ])
    }

    /// How the objects of a table are found, as text.
    func plan(_ request: PlanRequest) throws -> JSON {
        .object([("text", .string(try query(request.query).plan(running: request.isRun)))])
    }
}
