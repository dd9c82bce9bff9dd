import TravertineStore

extension Store {
    /// What does not hold of the store between two transactions, for a test to compare with
    /// nothing.
    ///
    /// Empty in release builds, which have no such check.
    package func brokenInvariants() throws -> [String] {
        #if DEBUG
            try checkInvariants()
        #else
            []
        #endif
    }
}
