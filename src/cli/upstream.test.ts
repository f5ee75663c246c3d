import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createProgram } from './program.js'

const { url } = await createTestDatabase()
/** Nobody listens there. */
const NOBODY = '127.0.0.1:1'

/** Runs a command that is asked to stop as soon as it has shown something. */
async function plaza(command: string[], env: Record<string, string>): Promise<{ shown: string }> {
  let shown = ''
  let stop = (_again: boolean) => {}
  const program = await createProgram(
    {
      env: { DATABASE_URL: url, ...env },
      print: (line) => {
        shown += `${line}\n`
      },
      progress: {
        write: (text) => {
          shown += text
          stop(false)
        },
      },
      stdin: process.stdin,
      stdout: process.stdout,
      onStopSignal: (callback) => {
        stop = callback
      },
      onDatabaseStop: () => () => {},
    },
    command[0],
  )
  await program.parseAsync(['node', 'plaza', ...command]).catch((error: Error) => {
    shown += `failed: ${error.message}\n`
  })
  return { shown }
}

describe.each(['backfill', 'reconcile'])('plaza %s', (command) => {
  test('says at once why it waits for an upstream that does not answer, and again when it is stopped', async () => {
    const { shown } = await plaza([command], { UPSTREAM_HUB: NOBODY })
    expect(shown).toMatch(/^retrying for some minutes: 127\.0\.0\.1:1: UNAVAILABLE: .*ECONNREFUSED/)
    expect(shown).toMatch(/^failed: 127\.0\.0\.1:1: UNAVAILABLE/m)
  })

  test('needs an upstream, and no database to say so', async () => {
    const { shown } = await plaza([command], { DATABASE_URL: `postgres://plaza@${NOBODY}/plaza` })
    expect(shown).toBe('failed: there is no upstream: set UPSTREAM_HUB\n')
  })
})

test('--include-neighbors without SYNC_FIDS -> usage error', async () => {
  const { shown } = await plaza(['backfill', '--include-neighbors'], { UPSTREAM_HUB: NOBODY })
  expect(shown).toBe('failed: --include-neighbors needs SYNC_FIDS\n')
  const channels = await plaza(['backfill', '--include-neighbors'], {
    UPSTREAM_HUB: NOBODY,
    SYNC_CHANNELS: 'garden',
  })
  expect(channels.shown).toBe(shown)
})
