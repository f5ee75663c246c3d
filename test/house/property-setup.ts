import fc from 'fast-check'

// Shrinks a failed property within the timeout of its test. A property without a run at that time fails with
// "too many pre-condition failures" of fast-check.
fc.configureGlobal({ ...fc.readConfigureGlobal(), skipAllAfterTimeLimit: 100_000 })
