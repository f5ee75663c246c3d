// The one file that Vitest is given. When it is done, `mutant-runner.mjs` runs the tests of the target once for each mutant.
import { test } from 'vitest'

test('starts the mutants', () => {})
