/// What steps of a plan cost, in units of one row of a scan: reading the next row of a table in key
/// order and testing it.
///
/// A row of a scan is read after its neighbour, which the processor fetches ahead. So a step counts
/// what it does beside that: the nodes that it goes through, and the waits for memory that nothing
/// foresees. Where two ways cost about the same a wrong choice costs little, so that the relations
/// need not be exact.
enum PlanCost {
    /// An entry of an index that is read after its neighbour: a number out of a leaf, no row.
    static let entry = 0.25
    /// Going down an index to the first entry of a range: two to four nodes.
    static let seek = 8.0
    /// Sorting one key among many.
    static let sortedKey = 0.5
    /// Reading a value, and making an entry of it to be compared, beside reading its row.
    static let filteredRow = 1.5
    /// Finding the row of a key in a table that the processor's cache holds.
    private static let cachedLookup = 4.0
    /// Finding the row of a key elsewhere: it waits for memory at the leaf and at the row. A range
    /// with a sixteenth of the rows of a large table so costs what a scan does.
    private static let lookup = 16.0
    /// The most rows of a table that the cache holds with their index.
    private static let cachedRowCountMax = 1 << 16
    /// Dividing a text of some hundred bytes into words, to test or to count them.
    static let textTest = 20.0
    /// The part of the rows that an equality without index is taken to find.
    static let guessedPart = 0.1

    /// Finding a row of a table by its key.
    static func lookup(amongRows count: Int) -> Double {
        count <= cachedRowCountMax ? cachedLookup : lookup
    }

    /// Sorting keys: nothing if they come in order.
    static func sorting(_ count: Double) -> Double { count * sortedKey }
}
