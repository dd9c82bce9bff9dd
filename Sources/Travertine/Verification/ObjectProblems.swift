import StoreMaintenance
import TravertineStore

/// Findings about one type: the first few are named, the others counted.
struct ObjectProblems {
    let type: String
    private var named: [VerificationReport.Finding] = []
    private var count = 0
    private let severity: VerificationReport.Finding.Severity

    init(_ type: String, _ severity: VerificationReport.Finding.Severity = .error) {
        self.type = type
        self.severity = severity
    }

    mutating func add(_ message: String, advice: String) {
        count += 1
        if count > ObjectReport.findingCountMax { return }
        named.append(VerificationReport.Finding(severity, "\(type): \(message)", advice: advice))
    }

    var findings: [VerificationReport.Finding] {
        guard count > named.count, let last = named.last else { return named }
        return named + [
            VerificationReport.Finding(
                severity, "\(type): \(count - named.count) more findings like these.",
                advice: last.advice)
        ]
    }
}
