import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { builtCli } from '../built-cli.js'
import { type CommandProcess, createDataDir, runCommand } from '../server-process.js'
import { compareWithTour, sdkLines, tourFiles, tourSteps } from './readme-tour.js'

const run = promisify(execFile)

/** What has happened when the tests run; the checkout has links to its results. */
const INSTALL = 'npm ci'
const CLONE = 'git clone https://…/plaza.git && cd plaza'
const START = 'npm start -- '
const README_ADDRESS = 'http://127.0.0.1:8080'

/**
 * Runs every command of both, word for word and in order, in a clone with a new data directory. Files of the reader are
 * in a folder of their own. Only the port and abbreviated values (keys, hashes) differ.
 */
it('the commands of the README and of docs/requests.md print what they show', async () => {
  const readme = await readFile('README.md', 'utf8')
  const checkout = await cloneCheckout()
  const elsewhere = await makeFolder()
  const files = tourFiles(readme)
  const dataDir = await createDataDir()
  const valuesByName = new Map<string, string>()
  const settings: string[] = []
  const substitutePrinted = (text: string) =>
    [...valuesByName].reduce((changed, [name, value]) => changed.replaceAll(name, value), text)

  const requests = await readFile('docs/requests.md', 'utf8')
  for (const { command, expectedOutput } of [readme, requests].flatMap(tourSteps)) {
    if (command === INSTALL || command === CLONE) continue
    if (command.startsWith(START)) {
      const server = await runCommand(['serve', ...command.slice(START.length).split(' ')], { dataDir })
      valuesByName.set(README_ADDRESS, await addressOf(server))
      rememberValues(substitutePrinted(expectedOutput), server.output(), command)
      for (const { name, text } of files) await writeFile(join(elsewhere, name), substitutePrinted(text))
      expect(await runSdk(checkout, substitutePrinted(sdkLines(readme)))).toBe('kite\n')
    } else if (/^\w+=\S+$/.test(command)) {
      settings.push(substitutePrinted(command))
    } else {
      const script = [...settings, substitutePrinted(command)].join('\n')
      const env = { ...process.env, DATA_DIR: dataDir, VERIFY_THREADS: '0' }
      const cwd = files.some(({ name }) => command.includes(name)) ? elsewhere : checkout
      const { stdout } = await run('bash', ['-c', script], { cwd, env })
      rememberValues(expectedOutput, stdout, command)
    }
  }

  function rememberValues(shows: string, printed: string, command: string): void {
    const values =
      compareWithTour(shows, printed) ?? expect.fail(`${command}\nprinted\n${printed}\nand not\n${shows}`)
    for (const [name, value] of values) valuesByName.set(name, value)
  }
})

it('a difference to the README is detected', () => {
  expect(
    compareWithTour('fid 61, owned by 0x08…\n{"a":…,\n"b":2}', 'fid 61, owned by 0xff\n{"a":[1],"b":2}\n'),
  ).toEqual(new Map([['0x08…', '0xff']]))
  expect(compareWithTour('fid 61', 'fid 62')).toBeNull()
  expect(compareWithTour('{"a":…}', '{"a":1}, and more')).toBeNull()
})

/** Clones the repository, and links what the installation and the build would make there. */
async function cloneCheckout(): Promise<string> {
  await builtCli()
  const folder = await makeFolder()
  const checkout = join(folder, 'plaza')
  // Git refuses to clone from a folder of another user, as those of containers often are.
  const gitConfig = join(folder, 'git-config')
  await writeFile(gitConfig, '[safe]\n\tdirectory = *\n')
  const env = { ...process.env, GIT_CONFIG_GLOBAL: gitConfig }
  await run('git', ['clone', '--quiet', process.cwd(), checkout], { env })
  for (const name of ['node_modules', 'dist']) await symlink(resolve(name), join(checkout, name))
  return checkout
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-tour-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs the lines that point the published SDK at the server, and returns the username of the user. */
async function runSdk(checkout: string, lines: string): Promise<string> {
  await writeFile(join(checkout, 'sdk.mjs'), `${lines}\nconsole.log(users[0].username)\n`)
  return (await run(process.execPath, ['sdk.mjs'], { cwd: checkout })).stdout
}

function addressOf(server: CommandProcess): Promise<string> {
  return new Promise((found, failed) => {
    server.child.stdout?.on('data', () => {
      const [, address] = /^listening on (\S+)$/m.exec(server.output()) ?? []
      if (address !== undefined) found(address)
    })
    server.ended.then(() => failed(new Error(`the server ended:\n${server.output()}`)), failed)
  })
}
