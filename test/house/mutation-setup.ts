import fc from 'fast-check'

// A mutant is dead when a property fails; for which smallest input would be long to find and read by nobody.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
