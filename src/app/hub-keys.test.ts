import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { createKeyCheck, createKeyNames } from './hub-keys.js'

const app = { appId: 'a', keyId: 1, rateLimit: null }
const nameKey = createKeyNames('first-key-0123456789, second-key-0123456789', async (key) =>
  key === 'key-of-an-app' ? app : null,
)
const check = createKeyCheck(nameKey)
const ask = (headers: Record<string, string>) => check({ headers } as unknown as FastifyRequest)

it('any configured key, in either header -> accepted', async () => {
  await ask({ 'x-api-key': 'first-key-0123456789' })
  await ask({ authorization: 'Bearer second-key-0123456789' })
  await ask({ 'x-api-key': 'key-of-an-app' })
})

it.each<[string, Record<string, string>]>([
  ['no key', {}],
  ['an empty key', { 'x-api-key': '' }],
  ['a wrong key', { 'x-api-key': 'first-key-012345678' }],
  ['the whole list', { 'x-api-key': 'first-key-0123456789, second-key-0123456789' }],
])('refuses %s', async (_what, headers) => {
  await expect(ask(headers)).rejects.toMatchObject({ code: 'unauthenticated' })
})

it('no configured keys -> only keys of apps', async () => {
  const onlyApps = createKeyCheck(createKeyNames('', async (key) => (key === 'key-of-an-app' ? app : null)))
  const askApps = (key: string) => onlyApps({ headers: { 'x-api-key': key } } as unknown as FastifyRequest)
  await askApps('key-of-an-app')
  await expect(askApps('')).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(askApps(',')).rejects.toMatchObject({ code: 'unauthenticated' })
})

it('keys have names of their own, and other texts none', async () => {
  const names = ['first-key-0123456789', 'second-key-0123456789', 'key-of-an-app', 'another'].map((key) =>
    nameKey({ headers: { 'x-api-key': key } }),
  )
  expect(await Promise.all(names)).toEqual(['key of the hub 1', 'key of the hub 2', 'key 1', null])
})
