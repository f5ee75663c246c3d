import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createProgram } from './program.js'

it.each([
  [['wallet', 'import', '--app', 'shop']],
  [['app', 'custody-key', 'shop']],
  [['migrate', 'webhooks', '--from', 'https://api.plaza.social', '--key', '-']],
])('plaza %j at a terminal: asks to pipe the key in, which a terminal would show', async (args) => {
  const program = await createProgram({
    env: { DATABASE_URL: 'postgres://plaza@127.0.0.1:1/never' },
    print: () => {},
    progress: { write: () => true },
    stdin: Object.assign(Readable.from([]), { isTTY: true }),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  await expect(program.parseAsync(['node', 'plaza', ...args])).rejects.toThrow('pipe the key in')
})
