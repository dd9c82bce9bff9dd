/// How a store verifies its files in the background.
public struct ScrubOptions: Sendable, Hashable {
    /// Bytes that are read in a second, at most; below 4096 counts as 4096.
    public var bytesPerSecond = 4 << 20
    /// Seconds between the end of a full pass and the beginning of the next.
    public var secondsBetweenPasses = 7 * 24 * 3600

    /// The default options: 4 MiB in a second, a pass each week.
    public init() {}
}
