import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-ci-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

interface Machine {
  /** Names of packages that cannot be installed. */
  readonly unavailable?: readonly string[]
  readonly uid?: number
}

/** Runs `.ci/install-packages` where no program is installed. Returns what it printed, and the calls of apt-get without options. */
async function installPackages(
  purpose: 'tests' | 'image',
  { unavailable = [], uid = 0 }: Machine,
): Promise<{ stdout: string; calls: string[] }> {
  const folder = await temporaryFolder()
  const log = join(folder, 'calls')
  await writeFile(log, '')
  const script = (text: string) => ({ mode: 0o755, text: `#!/bin/bash\n${text}\n` })
  const programs = {
    id: script(`echo ${uid}`),
    'apt-get': script(`names=()
      for word in "$@"; do [[ $word == -* || $word == *::* ]] || names+=("$word"); done
      echo "\${names[*]}" >>'${log}'
      for name in "\${names[@]}"; do [[ ' ${unavailable.join(' ')} ' != *" $name "* ]] || exit 100; done`),
  }
  for (const [name, { text, mode }] of Object.entries(programs)) {
    await writeFile(join(folder, name), text, { mode })
  }
  const { stdout } = await run('/bin/bash', ['.ci/install-packages', purpose], { env: { PATH: folder } })
  // Not a program: whether it is missing depends on this machine.
  const calls = (await readFile(log, 'utf8')).replaceAll(/ libnss-wrapper\b/g, '').split('\n')
  return { stdout, calls: calls.filter((call) => call !== '' && call !== 'install') }
}

const BROWSER = 'chromium-headless-shell'
const CLUSTER = 'patroni etcd-server haproxy postgresql pgbouncer'
const IMAGE = 'install buildah podman runc crun mmdebstrap'

describe('packages of tests', () => {
  it('are installed at once', async () => {
    expect(await installPackages('tests', {})).toEqual({
      stdout: '',
      calls: ['update', `install ${BROWSER} ${CLUSTER} prometheus systemd`],
    })
  })

  it('one cannot be had -> the others are installed', async () => {
    const { stdout, calls } = await installPackages('tests', { unavailable: [BROWSER] })
    expect(stdout).toBe('')
    expect(calls.slice(2)).toEqual([
      `install ${BROWSER}`,
      'install chromium',
      `install ${CLUSTER}`,
      'install prometheus',
      'install systemd',
    ])
  })

  it('none can be had -> it says which tests are skipped', async () => {
    const { stdout } = await installPackages('tests', { unavailable: ['update', 'install'] })
    expect(stdout).toBe(
      'Chromium could not be installed: the tests of pages are skipped\n' +
        'promtool could not be installed: the tests of alerts are skipped\n',
    )
  })

  it('a user who is not root installs nothing', async () => {
    expect(await installPackages('tests', { uid: 1000 })).toEqual({ stdout: '', calls: [] })
  })
})

describe('packages of images', () => {
  it('are installed from the lists that are there', async () => {
    expect(await installPackages('image', {})).toEqual({ stdout: '', calls: [IMAGE] })
  })

  it('cannot be had -> the lists are updated', async () => {
    const { calls } = await installPackages('image', { unavailable: ['podman'] })
    expect(calls).toEqual([IMAGE, 'update', IMAGE])
  })
})
