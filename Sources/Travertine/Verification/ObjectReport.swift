import StoreMaintenance
import TravertineStore

/// What a verification of the objects in a store found.
public struct ObjectReport: Sendable, Codable, Equatable {
    /// Everything that was found, type by type.
    public internal(set) var findings: [VerificationReport.Finding] = []
    /// Object types in the store, with or without a class.
    public internal(set) var typeCount = 0
    /// Objects whose rows were read.
    public internal(set) var objectCount = 0
    /// Identifiers of the derived keyspaces that do not hold what the rows say.
    public internal(set) var differingKeyspaces: [UInt32] = []

    /// Whether nothing is damaged or missing.
    public var isSound: Bool { !findings.contains { $0.severity == .error } }

    /// Of what is wrong with one type so many are named, and the others counted.
    static let findingCountMax = 20
}

/// What the findings of one type advise.
enum ObjectAdvice {
    static let schema =
        "No object of the store can be read without its schema. Restore the store from a backup."
    static let row =
        "The object can't be shown as it was written, and reading it fails. Restore the store from "
        + "a backup, or delete the object."
    static let link =
        "It reads as nil, or is left out of its collection. Set it anew, or restore the store from "
        + "a backup."
    static let derived =
        "No object is concerned, but queries and links may miss objects. travertine fsck --deep "
        + "--repair builds it anew from the rows."
    static let duplicate =
        "Objects are found by it, and one of the two is not. Delete or change one of them, then run "
        + "travertine fsck --deep --repair."
    static let waiting = "The next opening as a realm builds it from the rows."
    static let orphan = "They take space and nothing else; no object is concerned."
    static let unknownCase =
        "The property reads as the first case. Give the enum a case with this raw value, or set the "
        + "property."
    static let unfitNumber =
        "The property reads as zero. Declare it with a wider integer, or set the property."
    static let owner =
        "An embedded object belongs to exactly one object. Add it anew where it belongs, or restore "
        + "the store from a backup."
}
