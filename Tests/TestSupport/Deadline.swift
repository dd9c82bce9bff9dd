/// The end of waiting for something in a test that is a task.
///
/// Tests share the threads of one pool, and some of them block these for minutes. So a time alone
/// says nothing: it may have passed before anybody could act. A deadline is over when its time has
/// passed *and* it was asked often; between two questions the others of the pool have their turn.
public final class Deadline: @unchecked Sendable {
    private let end: ContinuousClock.Instant
    private var questionCount = 0

    /// As many questions as there must have been, at the least.
    private static let questionCountMin = 3000

    /// A deadline that is not over before so many seconds have passed.
    public init(seconds: Int) { end = ContinuousClock.now + .seconds(seconds) }

    /// Whether it is over. Asked by one task.
    public var isOver: Bool {
        questionCount += 1
        return questionCount > Self.questionCountMin && ContinuousClock.now > end
    }
}
