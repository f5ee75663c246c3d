import fc from 'fast-check'

// A property that fails is made smaller for as long as there is time to tell of it before the test's own time
// is over. One that has no run left by then fails, too: of "too many pre-condition failures", as fast-check
// says it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), skipAllAfterTimeLimit: 100_000 })
