import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { hostedOperations, NOT_BUILT, partlyServed, unservedOperations } from './hosted-operations.js'
import { operations } from './operations.js'
import { createTestApi } from './testing/test-api.js'

const all = hostedOperations(operations)
const unserved = all.filter(({ state }) => state === '501' || state === 'out of scope')

describe('the description', () => {
  it('has 173 operations, each once', () => {
    expect(all).toHaveLength(173)
    expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(173)
  })

  it('names every path that the published client calls', () => {
    const client = readFileSync(join('node_modules/@neynar/nodejs-sdk/build/api/apis/user-api.js'), 'utf8')
    const paths = [...client.matchAll(/localVarPath = `([^`]+)`/g)].map(([, path]) =>
      path!.replace(/\/$/, ''),
    )
    const known = new Set(all.flatMap((operation) => operation.paths))
    expect(paths.length).toBeGreaterThan(15)
    expect(paths.filter((path) => !known.has(path))).toEqual([])
  })

  it('an operation moves to served by being registered', () => {
    const stateOf = (list: typeof operations) =>
      hostedOperations(list).find(({ path }) => path === 'user/bulk')!.state
    expect([stateOf(operations), stateOf([])]).toEqual(['served', '501'])
  })

  it('what is not served has a reason, and what is served in part is served', () => {
    expect(unserved.filter(({ note }) => note === NOT_BUILT)).toEqual([])
    const inPart = all.filter(({ state }) => state === 'served in part')
    expect(inPart.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(partlyServed).sort(),
    )
  })
})

it('an operation that is not served -> 501 with its name and the reason, at every path', async () => {
  const { db } = await createTestDatabase()
  const { app, key } = await createTestApi({ db, unserved: unservedOperations(operations) })
  for (const { method, paths, note } of unserved) {
    for (const path of paths) {
      const url = path.replace('{table_name}', 'rows')
      const headers = {
        'x-api-key': key,
        ...(method === 'GET' ? {} : { 'content-type': 'multipart/form-data' }),
      }
      const reply = await app.inject({
        method,
        url: `${url}/`,
        headers,
        ...(method === 'GET' ? {} : { payload: 'x' }),
      })
      expect(reply.json()).toEqual({
        message: `${method} ${paths[0]} is not served: ${note}`,
        code: 'NotImplemented',
        status: 501,
      })
    }
  }
  const [{ paths, method }] = unserved as [(typeof unserved)[0]]
  expect((await app.inject({ method, url: paths[0]! })).json()).toMatchObject({ code: 'Unauthorized' })
  for (const page of ['/docs/openapi.json', '/openapi.json']) {
    expect((await app.inject(page)).body).toContain('Operations of the hosted API that are not served')
  }
})
