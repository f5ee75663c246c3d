import fc from 'fast-check'

// The same inputs for each mutant, and no shrinking: the failure is enough.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1, endOnFailure: true })
