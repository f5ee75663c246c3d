import { expect, it } from 'vitest'
import { createLogger } from './logger.js'

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
