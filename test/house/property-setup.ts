import fc from 'fast-check'
import { beforeEach } from 'vitest'

const SHARE_OF_TIMEOUT = 0.8

// Otherwise an array has at most ten elements more than its least, whatever its `maxLength`. Arbitraries are made when a file is loaded.
if (process.env.PROPERTY_SIZE === 'max') {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true })
}

// Shrinks a failed property within the timeout of its test. A property that has not completed its runs by then fails with
// "too many pre-condition failures" of fast-check. It would pass with `interruptAfterTimeLimit`, but so would one that hangs.
beforeEach(({ task }) => {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), skipAllAfterTimeLimit: task.timeout * SHARE_OF_TIMEOUT })
})
