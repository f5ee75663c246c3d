import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { encodeMessage } from '../src/protocol/codec.js'
import { FarcasterNetwork, MessageData, MessageType } from '../src/protocol/definitions.js'
import { createMessageSigner } from '../src/protocol/sign.js'
import { createTestDatabase } from './database.js'
import { createDataDir, runCommand, startServerProcess } from './server-process.js'

// Each command is a process that loads its modules: seconds on a busy machine.
const registry = await createTestDatabase()
const demo = await createTestDatabase()
const copy = await createTestDatabase()
const directory = await mkdtemp(join(tmpdir(), 'plaza-local-'))
afterAll(() => rm(directory, { recursive: true }))

/** Returns the output of a command that must succeed. */
async function runCli(url: string, ...args: string[]): Promise<string> {
  const dataDir = await createDataDir()
  const command = await runCommand(args, { dataDir, env: { DATABASE_URL: url } })
  expect(await command.ended, command.output()).toEqual({ code: 0, signal: null })
  return command.output()
}

it('registry commands create a user beside a running server, who can publish immediately', async () => {
  const dataDir = await createDataDir()
  const server = await startServerProcess({ dataDir, env: { DATABASE_URL: registry.url } })
  const { fid } = JSON.parse(await runCli(registry.url, 'fid', 'create', '--json'))
  const added = JSON.parse(await runCli(registry.url, 'signer', 'add', '--fid', String(fid), '--json'))
  await runCli(registry.url, 'storage', 'rent', '--fid', String(fid), '--units', '2')
  expect(await runCli(registry.url, 'fname', 'register', 'ada', '--fid', String(fid))).toBe(
    `"ada" belongs to fid ${fid}\n`,
  )

  const signer = createMessageSigner(Buffer.from(added.privateKey.slice(2), 'hex'))
  const username = signer.sign(
    MessageData.create({
      type: MessageType.USER_DATA_ADD,
      fid,
      timestamp: Math.floor(Date.now() / 1000) - 1_609_459_200,
      network: FarcasterNetwork.DEVNET,
      userDataBody: { type: 6, value: 'ada' },
    }),
  )
  const answer = await fetch(`${server.url}/v1/submitMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: encodeMessage(username),
  })
  expect(answer.status).toBe(200)
  const limits = await fetch(`${server.url}/v1/storageLimitsByFid?fid=${fid}`)
  expect(await limits.json()).toMatchObject({ units: 3 })
  const refusedRegistration = await runCommand(['fname', 'register', 'ada', '--fid', '1'], {
    dataDir,
    env: { DATABASE_URL: registry.url },
  })
  expect(await refusedRegistration.ended).toEqual({ code: 1, signal: null })
  expect(refusedRegistration.output()).toBe(`plaza: "ada" belongs to fid ${fid}\n`)
})

it('registry and demo refuse to run on a public network', async () => {
  const dataDir = await createDataDir()
  const env = { HUB_NETWORK: 'mainnet', DATABASE_URL: registry.url }
  for (const args of [
    ['fid', 'create'],
    ['demo'],
    ['demo', '--out', join(directory, 'never')],
    ['serve', '--demo'],
  ]) {
    const command = await runCommand(args, { dataDir, env })
    expect(await command.ended).toEqual({ code: 1, signal: null })
    expect(command.output()).toMatch(/only serves a devnet/)
  }
})

it('serve --demo has data when it listens', async () => {
  const dataDir = await createDataDir()
  const server = await runCommand(['serve', '--demo'], { dataDir, env: { DATABASE_URL: demo.url } })
  await expect.poll(() => server.output()).toMatch(/^listening on \S+$/m)
  const [, url] = /^listening on (\S+)$/m.exec(server.output())!
  const info = await (await fetch(`${url}/v1/info`)).json()
  expect(info).toMatchObject({ dbStats: { numFidRegistrations: 60 } })
  server.child.kill('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
})

it('a demo is written to a file in two runs, imported and exported', async () => {
  const file = join(directory, 'demo')
  // Both runs have the same end, also around midnight.
  const today = new Date().toISOString().slice(0, 10)
  const size = ['--users', '40', '--casts', '800', '--seed', 'file', '--end', today, '--out', file]
  const dataDir = await createDataDir()
  const first = await runCommand(['demo', ...size], { dataDir })
  await expect
    .poll(() =>
      stat(file).then(
        ({ size }) => size > 0,
        () => false,
      ),
    )
    .toBe(true)
  first.child.kill('SIGINT')
  await first.ended
  expect(await runCli(copy.url, 'demo', ...size)).toMatch(/is complete$/m)
  expect(await runCli(copy.url, 'import', file)).not.toMatch(/refused/)
  expect(await runCli(copy.url, 'import', file)).toMatch(/^merged: 0\nalready known: \d+$/m)
  expect(await runCli(copy.url, 'export', join(directory, 'export'))).toMatch(
    /is complete: \d+ messages and events/,
  )
  const again = await runCommand(['export', file], { dataDir, env: { DATABASE_URL: copy.url } })
  expect(await again.ended).toEqual({ code: 1, signal: null })
  expect(again.output()).toMatch(/exists: resume it with --resume/)
})
