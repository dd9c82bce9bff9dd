import TravertineStore

/// The code of the store's error that a body throws; nil if it throws none, or one of another kind.
func errorCode(of body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
