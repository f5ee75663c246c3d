import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DataDirBusyError, lockDataDir } from '../src/platform/db/data-dir-lock.js'

const run = promisify(execFile)
const DIST = resolve('dist')

let builtPath: Promise<string> | undefined

/**
 * Builds `plaza` if its sources have changed and returns its path, for tests that start it as a process. `npm test`
 * builds it in advance; a single file that runs after an edit builds it here.
 */
export function builtCli(): Promise<string> {
  builtPath ??= build()
  return builtPath
}

async function build(): Promise<string> {
  const cli = join(DIST, 'cli.js')
  await mkdir(DIST, { recursive: true })
  const unlock = await lock()
  try {
    await run(process.execPath, ['scripts/build.mjs', 'server'])
  } finally {
    unlock()
  }
  return cli
}

/** Lets one of several concurrent test files compile. */
async function lock(): Promise<() => void> {
  for (;;) {
    try {
      return lockDataDir(DIST, 'build')
    } catch (error) {
      if (!(error instanceof DataDirBusyError)) throw error
      await sleep(100)
    }
  }
}
