import { execFile } from 'node:child_process'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DataDirBusyError, lockDataDir } from '../src/platform/db/data-dir-lock.js'

const run = promisify(execFile)
const DIST = resolve('dist')

let builtPath: Promise<string> | undefined

/**
 * Compiles `plaza` if necessary and returns its path, for tests that start it as a process. `npm test`
 * compiles it in advance; a single file that runs after an edit compiles it here.
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
    if ((await newestIn('src')) > (await newestIn('dist'))) {
      await run('npx', ['tsc', '-p', 'tsconfig.build.json', '--noCheck'])
      await run(process.execPath, ['scripts/copy-assets.mjs'])
      await run(process.execPath, ['scripts/bundle.mjs'])
    }
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

async function newestIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /(?<!\.test)\.(ts|js|sql)$/.test(entry.name))
  const times = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).mtimeMs),
  )
  return Math.max(0, ...times)
}
