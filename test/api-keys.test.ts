import { expect, it } from 'vitest'
import { createDataDir, runCommand, startServerProcess } from './server-process.js'

// Includes compilation, and starts and stops a PostgreSQL per process.
async function runCli(dataDir: string, ...args: string[]): Promise<string> {
  const command = await runCommand(args, { dataDir })
  expect(await command.ended, command.output()).toMatchObject({ code: 0 })
  return command.output().trim()
}

function statusWith(url: string, key: string): Promise<number> {
  const path = '/v2/farcaster/fname/availability/?fname=alice'
  return fetch(`${url}${path}`, { headers: { 'x-api-key': key } }).then(({ status }) => status)
}

it('prints a key on the first start, which stays valid', async () => {
  const dataDir = await createDataDir()
  const first = await startServerProcess({ dataDir })
  const [, key = ''] = /^API key: (\S+)$/m.exec(first.output()) ?? []
  expect(await statusWith(first.url, key)).toBe(200)
  expect(await statusWith(first.url, `${key}x`)).toBe(401)
  first.child.kill('SIGTERM')
  await first.ended

  const second = await startServerProcess({ dataDir, env: { PLAZA_DEV_API_KEY: 'another-key' } })
  expect(second.output()).not.toContain('API key:')
  expect(second.output()).toContain('PLAZA_DEV_API_KEY is not used')
  expect(await statusWith(second.url, key)).toBe(200)
  expect(await statusWith(second.url, 'another-key')).toBe(401)
})

it('creates and revokes keys beside a running server, and never prints a key that was configured', async () => {
  const dataDir = await createDataDir()
  const env = { PLAZA_DEV_API_KEY: 'a-key-of-my-own', LOG_LEVEL: 'trace' }
  const server = await startServerProcess({ dataDir, env })
  expect(await statusWith(server.url, 'a-key-of-my-own')).toBe(200)

  const key = await runCli(dataDir, 'key', 'create', '--app', 'reader', '--rate-limit', '600')
  const apps = (await runCli(dataDir, 'app', 'list')).split('\n').map((line) => line.split(/ {2,}/))
  expect(apps.slice(1).map((cells) => cells.slice(0, 5))).toEqual([
    [expect.stringMatching(/^\S{36}$/), 'development', '1', '-', '-'],
    [expect.stringMatching(/^\S{36}$/), 'reader', '1', '-', '-'],
  ])
  expect(await runCli(dataDir, 'key', 'list')).toMatch(/ 2 {2}reader +plaza_\S+… +600 +never used +good$/)
  expect(await statusWith(server.url, key)).toBe(200)

  await runCli(dataDir, 'key', 'revoke', '2')
  await expect.poll(() => statusWith(server.url, key)).toBe(401)
  expect(server.output()).not.toContain('a-key-of-my-own')
  await expect((await runCommand(['key', 'revoke', '2'], { dataDir })).ended).resolves.toMatchObject({
    code: 1,
  })
})
