/// What schema discovery needs of a property with linking objects.
protocol InverseProperty {
    static func originProperty(_ storage: UnsafeMutableRawPointer) -> String
}
