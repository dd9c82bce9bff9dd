/// The statuses that the command ends with; `sysexits.h` gives the numbers, `fsck(8)` its own.
enum ExitStatus {
    /// `get` and `delete`: no such key.
    static let keyNotFound: Int32 = 1
    /// The arguments are wrong (EX_USAGE).
    static let usage: Int32 = 64
    /// The input, or the store, holds something that can't be used (EX_DATAERR).
    static let badData: Int32 = 65
    /// There is no such file or store (EX_NOINPUT).
    static let noInput: Int32 = 66
    /// A program that is needed is not there (EX_UNAVAILABLE).
    static let unavailable: Int32 = 69
    /// A defect of the program (EX_SOFTWARE).
    static let defect: Int32 = 70
    /// A system call failed, or the disk is full (EX_IOERR).
    static let inputOutput: Int32 = 74
    /// Another process has the store open; trying again later may work (EX_TEMPFAIL).
    static let tryAgain: Int32 = 75
    /// Permission denied (EX_NOPERM).
    static let noPermission: Int32 = 77
    /// What the number of a signal that ended a job is added to: 130 for control-C, 143 for
    /// SIGTERM.
    static let signalled: Int32 = 128

    /// The statuses of `diff`, by the convention of diff(1).
    enum Diff {
        static let differs: Int32 = 1
        static let trouble: Int32 = 2
    }

    /// The statuses of `fsck`, by the convention of fsck(8).
    enum Fsck {
        static let clean: Int32 = 0
        static let corrected: Int32 = 1
        static let errorsLeft: Int32 = 4
        static let operational: Int32 = 8
        static let usage: Int32 = 16
    }
}
