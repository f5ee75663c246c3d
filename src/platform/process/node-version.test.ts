import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { builtCli } from '../../../test/built-cli.js'
import { nodeVersionProblem } from './node-version.js'
import { requiredNode } from './version.js'

/** Runs a script under what it takes for Node.js 18. */
function runOnOldNode(...args: string[]) {
  const setVersion = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.20.8"}})'
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${setVersion}`, ...args], {
    encoding: 'utf8',
  })
}

it.each([
  ['20.19.0', null],
  ['20.20.2', null],
  ['22.0.0', null],
  ['20.18.3', 'Plaza needs Node.js 20.19 or later, and this is 20.18.3: install a newer one'],
  ['18.20.8', 'Plaza needs Node.js 20.19 or later, and this is 18.20.8: install a newer one'],
])('Node.js %s -> %s', (running, problem) => {
  expect(nodeVersionProblem(running, '>=20.19')).toBe(problem)
})

it('the Node.js that runs the tests is new enough', () => {
  expect(nodeVersionProblem(process.versions.node, requiredNode)).toBeNull()
})

it('an old Node.js -> the build and the commands name the version that they need', async () => {
  for (const args of [['scripts/build.mjs'], [await builtCli(), 'serve']]) {
    const { status, stderr } = runOnOldNode(...args)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('Plaza needs Node.js 20.19 or later, and this is 18.20.8'),
    })
  }
})
