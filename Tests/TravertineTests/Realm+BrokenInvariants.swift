import StoreWorkload

@testable import Travertine

extension Realm {
    /// What does not hold of the realm's store, and which entries of derived keyspaces are not what
    /// the rows say (O7), for a test to compare with nothing. Outside of write transactions.
    func brokenInvariants() throws -> [String] {
        let (stored, rebuilt) = (try DerivedTests.dump(self), try DerivedTests.rebuiltDump(self))
        let wrong = Set(stored.keys).union(rebuilt.keys).filter { stored[$0] != rebuilt[$0] }
            .sorted()
        return try store.brokenInvariants()
            + wrong.prefix(20).map {
                "Entry \($0) has \(stored[$0].map(String.init) ?? "none"); the rows say "
                    + "\(rebuilt[$0].map(String.init) ?? "none")."
            }
    }
}
