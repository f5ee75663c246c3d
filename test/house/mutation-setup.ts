import fc from 'fast-check'

// A failed property kills a mutant; shrinking its input would take long and nobody reads it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
