import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { createKeyCheck } from './api-keys.js'

const check = createKeyCheck('first-key-0123456789, second-key-0123456789')
const ask = (headers: Record<string, string>) => check({ headers } as unknown as FastifyRequest)

it('lets a request pass with any of the keys, in either header', async () => {
  await ask({ 'x-api-key': 'first-key-0123456789' })
  await ask({ authorization: 'Bearer second-key-0123456789' })
})

it.each<[string, Record<string, string>]>([
  ['no key', {}],
  ['an empty key', { 'x-api-key': '' }],
  ['a wrong key', { 'x-api-key': 'first-key-012345678' }],
  ['the whole list', { 'x-api-key': 'first-key-0123456789, second-key-0123456789' }],
])('refuses %s', async (_what, headers) => {
  await expect(ask(headers)).rejects.toMatchObject({ code: 'unauthenticated' })
})
