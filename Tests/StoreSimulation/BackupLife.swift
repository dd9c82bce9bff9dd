/// What the directory of backups may hold, while backups are interrupted and begun again.
struct BackupLife {
    /// The directory of backups.
    var path: String { "/backup-\(number)" }

    private var number = 1
    /// The newest backup that is known to be whole: its LSN, and the transactions before it.
    private var whole: (lsn: UInt64, number: UInt64)?
    /// Backups that were begun since, the outcome of which is unknown.
    private var attempts: [UInt64: UInt64] = [:]

    /// Whether a whole backup must be there.
    var isWhole: Bool { whole != nil }

    /// A backup of the store as of an LSN begins.
    mutating func begin(lsn: UInt64, number: UInt64) { attempts[lsn] = number }

    /// The backup that is there is as of an LSN; gives the number of transactions before it, or nil
    /// if no backup of that time was ever begun.
    ///
    /// Nobody writes while one is taken, but parts of transactions that were rolled back, and what
    /// compaction writes, have LSNs too.
    mutating func settle(lsn: UInt64) -> UInt64? {
        if let whole, whole.lsn == lsn {
            attempts = [:]
            return whole.number
        }
        let begun = attempts.filter { $0.key <= lsn && $0.key >= whole?.lsn ?? 0 }
        guard let newest = begun.max(by: { $0.key < $1.key }) else { return nil }
        whole = (lsn, newest.value)
        attempts = [:]
        return newest.value
    }

    /// There is no backup: what was begun came to nothing.
    mutating func forgetAttempts() { attempts = [:] }

    /// From here on backups go to another directory, which is not there yet.
    mutating func moveOn() {
        number += 1
        whole = nil
        attempts = [:]
    }
}
