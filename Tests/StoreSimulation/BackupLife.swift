/// What the directory of backups may hold, while backups are interrupted and begun again.
struct BackupLife {
    /// The directory of backups.
    var path: String { "/backup-\(number)" }

    private var number = 1
    /// The newest backup that is known to be whole: its LSN, and the transactions before it.
    private var whole: (lsn: UInt64, number: UInt64)?
    /// Backups that were begun since, the outcome of which is unknown, the newest last: the LSN of
    /// the newest transaction at the time, and the number of transactions.
    private var attempts: [(lsn: UInt64, number: UInt64)] = []

    /// Whether a whole backup must be there.
    var isWhole: Bool { whole != nil }

    /// A backup of the store as of an LSN begins.
    mutating func begin(lsn: UInt64, number: UInt64) { attempts.append((lsn, number)) }

    /// The backup that is there is as of an LSN; gives the number of transactions before it, or nil
    /// if no backup of that time was ever begun.
    ///
    /// Nobody writes while one is taken, but parts of transactions that were rolled back, and what
    /// compaction writes, have LSNs too.
    ///
    /// - Parameter isDurable: whether it was acknowledged, or seen after a crash of the machine.
    ///   What a new process sees of a backup that failed may be gone after the next crash: then the
    ///   one before it, and every attempt, stay possible.
    mutating func settle(lsn: UInt64, isDurable: Bool) -> UInt64? {
        let number: UInt64
        if let whole, whole.lsn == lsn {
            number = whole.number
        } else if let newest = attempts.last(where: { $0.lsn <= lsn }) {
            // The newest that can be it: one with a greater LSN than a later one was lost in a
            // crash.
            number = newest.number
        } else {
            return nil
        }
        if isDurable {
            whole = (lsn, number)
            attempts = []
        }
        return number
    }

    /// There is no backup: what was begun came to nothing.
    mutating func forgetAttempts() { attempts = [] }

    /// From here on backups go to another directory, which is not there yet.
    mutating func moveOn() {
        number += 1
        whole = nil
        attempts = []
    }
}
