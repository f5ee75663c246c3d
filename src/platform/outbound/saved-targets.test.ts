import { expect, it } from 'vitest'
import { NetFailureError, netFailure } from './net-failure.js'
import { createSavedTargets } from './saved-targets.js'

const addresses: Readonly<Record<string, readonly string[]>> = {
  'plaza.social': ['8.8.8.8', '2606:4700:4700::1111'],
  'inside.plaza.social': ['10.0.0.7'],
  'half.plaza.social': ['8.8.8.8', '192.168.0.1'],
  'metadata.plaza.social': ['169.254.169.254'],
  'six.plaza.social': ['fd00::1'],
  'loop.plaza.social': ['127.0.0.1'],
}
const lookups: string[] = []
let now = 0
const options = {
  clock: () => now,
  resolve: async (host: string) => {
    lookups.push(host)
    return addresses[host] ?? Promise.reject(new NetFailureError(netFailure('unknown-host', 'none')))
  },
}
const strict = createSavedTargets({ ...options, policy: { allowLoopback: false } })
const development = createSavedTargets({ ...options, policy: { allowLoopback: true } })

it.each([
  ['https://plaza.social/', null],
  ['http://plaza.social/', null],
  ['https://plaza.social:443/', null],
  ['https://plaza.social:8443/hook', null],
  ['https://plaza.social:1024/', null],
  ['https://not-there.plaza.social/', null],
  ['https://8.8.8.8/', null],
  ['https://localhost:3000/', null],
  ['https://127.0.0.1:3000/', null],
  ['myapp://signed-in', null],
  ['myhttp://10.0.0.1/', null],
  ['no url', null],
  ['https://plaza.social:1/', 'forbidden-port'],
  ['https://plaza.social:22/', 'forbidden-port'],
  ['https://plaza.social:445/', 'forbidden-port'],
  ['https://plaza.social:1023/', 'forbidden-port'],
  ['https://10.0.0.1/', 'forbidden-address'],
  ['https://[::ffff:10.0.0.1]/', 'forbidden-address'],
  ['https://169.254.169.254/latest', 'forbidden-address'],
  ['https://inside.plaza.social/', 'forbidden-address'],
  ['https://INSIDE.plaza.social/', 'forbidden-address'],
  ['https://half.plaza.social/', 'forbidden-address'],
  ['https://metadata.plaza.social/', 'forbidden-address'],
  ['https://six.plaza.social/', 'forbidden-address'],
  ['https://loop.plaza.social/', 'forbidden-address'],
])('%s -> %s', async (url, kind) => {
  expect((await strict.refusalOf(url))?.kind ?? null).toBe(kind)
})

it('a name of loopback passes where loopback is allowed', async () => {
  expect(await development.refusalOf('http://loop.plaza.social:3000/')).toBeNull()
  expect(await development.refusalOf('http://inside.plaza.social:3000/')).toMatchObject({
    kind: 'forbidden-address',
  })
})

it('DNS without an answer -> the URL passes', async () => {
  const silent = createSavedTargets({
    clock: () => now,
    policy: { allowLoopback: false },
    resolve: () => new Promise<never>(() => {}),
    timeoutMs: 1,
  })
  expect(await silent.refusalOf('https://plaza.social/')).toBeNull()
})

it('a name is looked up once a minute', async () => {
  now = 1_000_000
  lookups.length = 0
  await Promise.all([1, 2, 3].map(() => strict.refusalOf('https://inside.plaza.social/')))
  now += 59_999
  await strict.refusalOf('https://inside.plaza.social/other')
  expect(lookups).toEqual(['inside.plaza.social'])
  now += 1
  await strict.refusalOf('https://inside.plaza.social/')
  expect(lookups).toHaveLength(2)
})
