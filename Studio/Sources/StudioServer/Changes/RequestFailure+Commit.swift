import Travertine
import TravertineStore

extension RequestFailure {
    /// The answer to a request whose transaction has failed; nil for an error whose message
    /// suffices.
    ///
    /// After a failed sync the store takes no writes until it is opened again (T5), which the
    /// studio does only when it starts.
    init?(ofCommit error: any Error) {
        let realmError = error as? Realm.Error
        let cause = realmError?.underlying ?? error as? StoreError
        switch cause?.code {
        case .commitOutcomeUnknown:
            self.init(
                500,
                "The disk has failed: whether the changes are stored is not known. " + Self.advice)
            isOutcomeUnknown = true
        case .poisoned:
            self.init(
                500,
                "The disk failed when an earlier commit was stored, and takes no other since then. "
                    + Self.advice)
        case .diskFull:
            self.init(
                507,
                "There is no room on the disk. Make some, and try again; to delete objects makes "
                    + "room too.")
        default:
            guard let realmError, Self.isMistake(realmError) else { return nil }
            self.init(422, realmError.message)
        }
    }

    private static let advice =
        "Check the disk, end the studio, start it again, and look what is there: nothing can be "
        + "changed before."

    /// Whether the user can change something about it.
    private static func isMistake(_ error: Realm.Error) -> Bool {
        switch error.code {
        case .invalidInput, .duplicatePrimaryKey, .uniqueViolation: true
        // What a rule for deleting refuses, among others; and what the store refuses.
        case .fail: error.underlying == nil
        default: false
        }
    }
}
