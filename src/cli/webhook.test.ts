import { expect, it } from 'vitest'
import { createProgram } from './program.js'

it('plaza webhook listen: names the new option to who gives the one of 0.1.0', async () => {
  const program = await createProgram({
    env: {},
    print: () => {},
    progress: process.stderr,
    stdin: process.stdin,
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  await expect(
    program.parseAsync(['node', 'plaza', 'webhook', 'listen', '--kind', 'cast.created']),
  ).rejects.toThrow('--kind is now --events')
})
