import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { builtCli } from '../built-cli.js'
import { type CommandProcess, createDataDir, runCommand } from '../server-process.js'
import { compareWithTour, tourFiles, tourSteps } from './readme-tour.js'

const run = promisify(execFile)

/** The installation, which has already happened. */
const INSTALL = 'npm ci'
const START = 'npm start -- '
const README_ADDRESS = 'http://127.0.0.1:8080'

/**
 * Runs every command of the README, word for word and in order, in a checkout with a new data directory. Only
 * the port and abbreviated values (keys, hashes) differ.
 */
it('the commands of the README print what it shows', { timeout: 300_000 }, async () => {
  const readme = await readFile('README.md', 'utf8')
  const checkout = await makeCheckout()
  const dataDir = await createDataDir()
  const valuesByName = new Map<string, string>()
  const settings: string[] = []
  const substitutePrinted = (text: string) =>
    [...valuesByName].reduce((changed, [name, value]) => changed.replaceAll(name, value), text)

  for (const { command, expectedOutput } of tourSteps(readme)) {
    if (command === INSTALL) continue
    if (command.startsWith(START)) {
      const server = await runCommand(['serve', ...command.slice(START.length).split(' ')], { dataDir })
      valuesByName.set(README_ADDRESS, await addressOf(server))
      rememberValues(substitutePrinted(expectedOutput), server.output(), command)
      for (const { name, text } of tourFiles(readme))
        await writeFile(join(checkout, name), substitutePrinted(text))
    } else if (/^\w+=\S+$/.test(command)) {
      settings.push(substitutePrinted(command))
    } else {
      const script = [...settings, substitutePrinted(command)].join('\n')
      const env = { ...process.env, DATA_DIR: dataDir, VERIFY_THREADS: '0' }
      const { stdout } = await run('bash', ['-c', script], { cwd: checkout, env })
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

/** Creates a directory with the commands of a checkout, for files of the reader. */
async function makeCheckout(): Promise<string> {
  await builtCli()
  const checkout = await mkdtemp(join(tmpdir(), 'plaza-tour-'))
  onTestFinished(() => rm(checkout, { recursive: true }))
  for (const name of ['package.json', 'node_modules', 'dist'])
    await symlink(resolve(name), join(checkout, name))
  return checkout
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
