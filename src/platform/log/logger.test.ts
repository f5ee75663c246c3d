import { type EventEmitter, once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createPublicClient, http } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { makeTestDir } from '../../../test/stale-test-dirs.js'
import { createLogger, fileOutput } from './logger.js'

function logOf(fields: object): string {
  let written = ''
  createLogger('info', { write: (line: string) => (written += line) }).info(fields, 'text')
  return written
}

it('writes one line of JSON with the time and the fields', () => {
  expect(JSON.parse(logOf({ fid: 1 }))).toEqual({
    level: 30,
    time: expect.stringMatching(/Z$/),
    fid: 1,
    msg: 'text',
  })
})

it('redacts the fields of secrets', () => {
  const written = logOf({
    password: 'hunter2',
    config: { databaseUrl: 'hunter2' },
    req: { headers: { authorization: 'hunter2', 'x-api-key': 'hunter2', cookie: 'hunter2' } },
  })
  expect(written).not.toContain('hunter2')
  expect(written.match(/\[secret\]/g)).toHaveLength(5)
})

it('logs message and code of an error, not the parameters of its statement', () => {
  const cause = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: 'Key (token)=(hunter2) already exists.',
    parameters: ['hunter2'],
    constraint_name: 'tokens_pkey',
  })
  const written = logOf({ err: new Error('merge failed', { cause }) })
  expect(written).not.toContain('hunter2')
  expect(JSON.parse(written).err).toMatchObject({
    message: 'merge failed',
    cause: { code: '23505', constraint: 'tokens_pkey' },
  })
})

it('logs the host of a URL in an error, not the key in its path, and where the error was made', async () => {
  const url = 'http://127.0.0.1:9/v2/hunter2'
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  const failure = await client.getBlockNumber().catch((error: unknown) => error)
  expect(inspect(failure)).toContain('hunter2')
  const written = logOf({ err: new Error('the chain did not answer', { cause: failure }) })
  expect(written).not.toContain('hunter2')
  expect(JSON.parse(written).err.cause.message).toContain('URL: http://127.0.0.1:9/…')
  expect(JSON.parse(written).err.stack).toContain('logger.test.ts')
})

// Linux has a device that is always full.
const linuxOnly = it.skipIf(process.platform !== 'linux')

linuxOnly(
  'a disk that is full for a while: lines of that time follow, too many are dropped, and those after it are written',
  async () => {
    const directory = await makeTestDir()
    onTestFinished(() => rm(directory, { recursive: true }))
    const file = join(directory, 'plaza.log')
    const descriptor = openSync('/dev/full', 'w')
    const destination = fileOutput(descriptor)
    const log = createLogger('info', destination)
    const failure = () =>
      once(destination as unknown as EventEmitter, 'write').catch((error: unknown) => error)
    const first = failure()
    log.info('while the disk is full')
    // More than waits for a full disk, before it is known to be one.
    for (let line = 0; line < 30; line += 1) log.info('y'.repeat(50_000))
    expect(await first).toMatchObject({ code: 'ENOSPC' })
    const second = failure()
    for (let line = 0; line < 30; line += 1) log.info('x'.repeat(50_000))
    expect(await second).toMatchObject({ code: 'ENOSPC' })
    // The lowest free number: the same descriptor, on a disk with room.
    closeSync(descriptor)
    expect(openSync(file, 'a')).toBe(descriptor)
    onTestFinished(() => closeSync(descriptor))
    const texts = () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).msg)
    await expect
      .poll(() => {
        log.info('after it')
        return texts()
      })
      .toContain('after it')
    expect(texts()[0]).toBe('while the disk is full')
    expect(texts().filter((text) => text.startsWith('x'))).toEqual([])
  },
)
