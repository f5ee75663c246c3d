import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canEnter, canReach, type SystemUser } from '../src/platform/db/system-user.js'
import { builtCli } from './built-cli.js'
import { createDataDir, runCommand, startServerProcess } from './server-process.js'

// Each test creates durable clusters: seconds of disk and CPU.
/** A number without a name, as `docker run --user 12345` gives it. */
const nameless: SystemUser = { name: 'uid 12345', uid: 12_345, gid: 12_345 }

/** Runs a command as that user; with the data directory the only one of `/` that can be written. */
const asNameless = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups', '--no-new-privs']
const inReadOnlyRoot = [
  ...['unshare', '--mount', 'sh', '-ec'],
  'mount --bind "$DATA_DIR" "$DATA_DIR"; mount -o remount,bind,ro /; exec "$@"',
  'sh',
  ...asNameless,
]

/** As in a container: the command does not see the processes outside, and everything ends with it. */
const inOwnProcesses = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']

function canUnshare(): boolean {
  try {
    execFileSync(inOwnProcesses[0]!, [...inOwnProcesses.slice(1), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Whether this machine lets a process make its root read-only, which a container may not. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-o', 'remount,bind,ro', '/'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const hasNames = ['x86_64', 'aarch64'].some((name) =>
  existsSync(`/usr/lib/${name}-linux-gnu/libnss_wrapper.so`),
)

describe.runIf(process.getuid?.() === 0)('as a user without a name, with a home that it cannot read', () => {
  async function createEnvironment() {
    const cli = await builtCli()
    if (!(await canReach(nameless, cli)) || !(await canEnter(nameless, process.cwd()))) return null
    const dataDir = await createDataDir(nameless)
    chmodSync(dataDir, 0o700)
    const home = join(await createDataDir(), 'home')
    mkdirSync(home, { mode: 0o700 })
    return { dataDir, env: { HOME: home, TMPDIR: dataDir } }
  }

  it.runIf(hasNames)(
    'the server starts with a database of its own in a read-only root, and stops',
    async ({ skip }) => {
      const environment = await createEnvironment()
      if (environment === null) return skip()
      const through = canMount() ? inReadOnlyRoot : asNameless
      const server = await startServerProcess({ ...environment, through })
      await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
      expect((await stat(join(environment.dataDir, 'postgres'))).uid).toBe(nameless.uid)
      server.child.kill('SIGTERM')
      expect(await server.ended).toEqual({ code: 0, signal: null })
    },
  )

  it.runIf(!hasNames)('the error says what PostgreSQL lacks', async ({ skip }) => {
    const environment = await createEnvironment()
    if (environment === null) return skip()
    const server = await runCommand(['serve'], { ...environment, through: asNameless })
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.output()).toContain('the user 12345 has no name')
  })
})

describe.runIf(canUnshare())('two containers on one data directory', () => {
  it('the second is refused and changes nothing, also when the first was restarted', async () => {
    const dataDir = await createDataDir()
    const killed = await startServerProcess({ dataDir, through: inOwnProcesses })
    killed.child.kill('SIGKILL')
    await killed.ended
    // Its lock is stale now, and its PostgreSQL has ended with it.
    const first = await startServerProcess({ dataDir, through: inOwnProcesses })
    const files = () =>
      Promise.all(
        ['plaza.pid', 'postgres/postmaster.pid'].map((name) => readFile(join(dataDir, name), 'utf8')),
      )
    const before = await files()
    for (const through of [inOwnProcesses, []]) {
      for (const args of [['serve'], ['migrate']]) {
        const second = await runCommand(args, { dataDir, through })
        expect(await second.ended).toMatchObject({ code: 1 })
        expect(second.output()).toMatch(/is in use by a process of another container: .*docker exec/)
      }
    }
    expect(await files()).toEqual(before)
    expect((await fetch(`${first.url}/v1/info`)).status).toBe(200)
  })
})
