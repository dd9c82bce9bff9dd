extension PropertyPath: CustomStringConvertible {
    var description: String { steps.map { if case .property(let n) = $0 { n } else { "\($0)" } }.joined(separator: ".") }
}
