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

describe('the count of a run', () => {
  const file = (name: string, seconds: number, statuses: readonly string[]) => ({
    name: join(process.cwd(), name),
    startTime: 1_000,
    endTime: 1_000 + seconds * 1_000,
    status: statuses.every((status) => status === 'passed') && statuses.length > 0 ? 'passed' : 'failed',
    assertionResults: statuses.map((status) => ({ status })),
  })

  async function count(files: ReturnType<typeof file>[]): Promise<{ code: number; lines: string[] }> {
    const statuses = files.flatMap((each) => each.assertionResults).map(({ status }) => status)
    const reports = await temporaryFolder()
    const report = {
      numPassedTests: statuses.filter((status) => status === 'passed').length,
      numFailedTests: statuses.filter((status) => status === 'failed').length,
      success: files.every(({ status }) => status === 'passed'),
      testResults: files,
    }
    await writeFile(join(reports, 'all.json'), JSON.stringify(report))
    const times = join(await temporaryFolder(), 'times')
    await writeFile(times, '12 npm ci\n300 npm test\n')
    const { stdout, code } = await run(process.execPath, ['.ci/count.mjs', reports, times]).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    )
    return {
      code,
      lines: stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.trim()),
    }
  }

  it('is its last line, behind the seconds of phases and of the slowest files', async () => {
    const quick = Array.from({ length: 20 }, (_, index) => file(`src/quick-${index}.test.ts`, 1, ['passed']))
    const { code, lines } = await count([...quick, file('test/slow.test.ts', 70.5, ['passed', 'passed'])])
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '22 passed, 0 failed' })
    expect(lines).toEqual(expect.arrayContaining(['12  npm ci', '300  npm test']))
    const slowest = lines.filter((line) => line.endsWith('.test.ts'))
    expect(slowest).toHaveLength(20)
    expect(slowest[0]).toBe('70.5  test/slow.test.ts')
  })

  it('a file that failed to load has failed', async () => {
    const { code, lines } = await count([file('src/a.test.ts', 1, ['passed']), file('src/b.test.ts', 0, [])])
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '1 passed, 1 failed' })
  })
})
