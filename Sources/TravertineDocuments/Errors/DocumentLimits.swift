/// Limits of all document formats.
enum DocumentLimits {
    /// The most levels, in what is read and what is written: documents and arrays in each other; a
    /// program with a scope is one, and its scope another. How a format writes other values does
    /// not count.
    static let depthMax = 200

    /// Why a value with more levels is not written.
    static let tooDeep = "it has more than \(depthMax) levels"
}
