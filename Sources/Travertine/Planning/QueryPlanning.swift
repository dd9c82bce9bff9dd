/// What all planning of queries obeys.
enum QueryPlanning {
    /// Whether queries use no index: for tests, which compare what a scan finds with what a plan
    /// finds.
    @TaskLocal static var isScanOnly = false
}
