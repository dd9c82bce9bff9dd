/// What steps of a plan cost, in units of one row of a scan: reading the next row of a table in key
/// order and testing it.
///
/// The relations were measured on tables of a hundred thousand and of ten million rows of some 60
/// bytes; a plan is wrong by little where two ways cost about the same, so they need not be exact.
enum PlanCost {
    /// An entry of an index that is read after its neighbour.
    static let entry = 0.25
    /// Going down an index to the first entry of a range.
    static let seek = 8.0
    /// Sorting one key among many.
    static let sortedKey = 0.5
    /// Reading a value, and making an entry of it to be compared, beside reading its row.
    static let filteredRow = 1.5
    /// Finding the row of a key in a table that the processor's cache holds.
    private static let cachedLookup = 4.0
    /// Finding the row of a key elsewhere: it waits for memory at the leaf and at the row.
    private static let lookup = 16.0
    /// The most rows of a table that the cache holds with their index.
    private static let cachedRowCountMax = 1 << 16
    /// The part of the rows that an equality without index is taken to find.
    static let guessedPart = 0.1

    /// Finding a row of a table by its key.
    static func lookup(amongRows count: Int) -> Double {
        count <= cachedRowCountMax ? cachedLookup : lookup
    }

    /// Sorting keys: nothing if they come in order.
    static func sorting(_ count: Double) -> Double { count * sortedKey }
}
