import StoreMaintenance
import TravertineStore

/// A finding of a verification as text.
enum FindingText {
    /// What was found, with its place, and what to do.
    static func lines(_ finding: VerificationReport.Finding) -> [String] {
        let place = [
            finding.file, finding.offset.map { "offset \($0)" }, finding.lsn.map { "LSN \($0)" },
        ].compactMap(\.self)
        return [
            "\(finding.severity.rawValue): \(finding.message)"
                + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"),
            "  \(finding.advice)",
        ]
    }
}
