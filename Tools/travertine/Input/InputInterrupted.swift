/// Thrown in place of input where a signal ended the waiting for it.
struct InputInterrupted: Error {}
