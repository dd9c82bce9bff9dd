/// What a test throws out of a transaction, so that it is rolled back.
struct Stop: Error {}
