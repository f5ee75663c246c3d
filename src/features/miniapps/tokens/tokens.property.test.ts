import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { ensureApp } from '../../apps/apps.js'
import { applyEvent, type ClientEvent } from '../events/event-receiver.js'
import { listTokens } from './tokens.js'

const { db } = await createTestDatabase()
let apps = 0

/** Creates a new app. */
const newApp = () => ensureApp(db, `app ${++apps}`)

/** An event that a client delivers, by the numbers of its user and token. */
interface Delivery {
  readonly fid: number
  readonly clientFid: number
  readonly event: ClientEvent
}

const grant = (token: string): ClientEvent => ({
  kind: 'granted',
  grant: { url: 'https://client.example.com/notify', token },
})

const event = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }).map((number) => grant(`token-${number}`)) },
  { weight: 4, arbitrary: fc.constantFrom<ClientEvent>({ kind: 'disabled' }, { kind: 'removed' }) },
  { weight: 1, arbitrary: fc.constant<ClientEvent>({ kind: 'added' }) },
)

/** Few tokens, users and clients, so that most events repeat earlier ones: in order, late, twice. */
const deliveries: fc.Arbitrary<Delivery[]> = fc.array(
  fc.record({ fid: fc.integer({ min: 1, max: 2 }), clientFid: fc.integer({ min: 0, max: 1 }), event }),
  { minLength: 1, maxLength: 16 },
)

/** The current token of a user and client, and how often each was granted. */
interface StoredToken {
  readonly token: string
  readonly state: 'enabled' | 'disabled' | 'invalid'
  readonly granted: ReadonlySet<string>
}

/** Reference model of the token rules. */
function follow(stored: StoredToken | undefined, { kind, ...more }: ClientEvent): StoredToken | undefined {
  if (kind === 'granted' && 'grant' in more) {
    const { token } = more.grant
    if (stored?.granted.has(token)) return stored
    return { token, state: 'enabled', granted: new Set([...(stored?.granted ?? []), token]) }
  }
  if (stored === undefined || kind === 'added') return stored
  if (kind === 'removed') return { ...stored, state: 'invalid' }
  return stored.state === 'enabled' ? { ...stored, state: 'disabled' } : stored
}

const nameOf = ({ fid, clientFid }: Omit<Delivery, 'event'>) => `${fid}/${clientFid}`

async function currentToken(appId: string): Promise<Record<string, [string, string]>> {
  const tokens = await listTokens(db, appId, null, 100, null)
  return Object.fromEntries(
    tokens.map(({ fid, client_fid: clientFid, token, status }) => [
      nameOf({ fid, clientFid }),
      [token, status],
    ]),
  )
}

/** What a named client's event does to the token without a client: it becomes the client's. All have one host here. */
function nameToken(model: Map<string, StoredToken>, { fid, clientFid }: Delivery): void {
  const [unnamedKey, namedKey] = [nameOf({ fid, clientFid: 0 }), nameOf({ fid, clientFid })]
  const unnamed = model.get(unnamedKey)
  if (clientFid === 0 || unnamed === undefined) return
  model.delete(unnamedKey)
  const named = model.get(namedKey) ?? unnamed
  const states = ['enabled', 'disabled', 'invalid'] as const
  const isEnded = named.token === unnamed.token && states.indexOf(unnamed.state) > states.indexOf(named.state)
  model.set(namedKey, {
    token: named.token,
    state: isEnded ? unnamed.state : named.state,
    granted: new Set([...named.granted, ...unnamed.granted]),
  })
}

/** Applies an event to the model, and says whether it changes the token of its holder. */
function applyToModel(model: Map<string, StoredToken>, delivery: Delivery): 'applied' | 'unchanged' {
  const { fid, clientFid, event } = delivery
  const isEnd = event.kind === 'disabled' || event.kind === 'removed'
  if (isEnd) nameToken(model, delivery)
  const name = nameOf(delivery)
  const named = model.get(nameOf({ fid, clientFid: 1 }))
  if (clientFid === 0 && event.kind === 'granted' && named?.granted.has(event.grant.token)) return 'unchanged'
  const before = model.get(name)
  const after = follow(before, event)
  if (after === before || (before && same(before, after!))) return 'unchanged'
  model.set(name, after!)
  if (!isEnd) nameToken(model, delivery)
  return 'applied'
}

test('tokens: any order and repetition of events follows the reference model', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async (history) => {
      const appId = await newApp()
      const model = new Map<string, StoredToken>()
      for (const delivery of history) {
        const expected = applyToModel(model, delivery)
        expect(await applyEvent(db, { appId, ...delivery }, delivery.event)).toBe(expected)
      }
      const expected = [...model].map(([name, { token, state }]) => [name, [token, state]])
      expect(await currentToken(appId)).toEqual(Object.fromEntries(expected))
    }),
    { numRuns: 50 },
  )
})

const same = (one: StoredToken, other: StoredToken) => one.token === other.token && one.state === other.state

test('tokens: replaying all grants of a history changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, fc.integer(), async (history, seed) => {
      const appId = await newApp()
      for (const delivery of history) await applyEvent(db, { appId, ...delivery }, delivery.event)
      const before = await currentToken(appId)
      const grants = history.filter((delivery) => delivery.event.kind === 'granted')
      const again = fc.sample(fc.shuffledSubarray(grants, { minLength: grants.length }), { numRuns: 1, seed })
      for (const delivery of again[0]!) {
        expect(await applyEvent(db, { appId, ...delivery }, delivery.event)).toBe('unchanged')
      }
      expect(await currentToken(appId)).toEqual(before)
    }),
    { numRuns: 40 },
  )
})

test('tokens: concurrent grants -> one current token, the others stay replaced', async () => {
  const tokens = Array.from({ length: 8 }, (_, number) => `token-${number}`)
  for (let round = 0; round < 5; round += 1) {
    const appId = await newApp()
    const holder = { appId, fid: 1, clientFid: 1 }
    const twice = [...tokens, ...tokens]
    const outcomes = await Promise.all(twice.map((token) => applyEvent(db, holder, grant(token))))
    expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(tokens.length)
    const { '1/1': [token] = [''] } = await currentToken(appId)
    const past = await db<{ digest: Buffer }[]>`
      select digest from miniapps.replaced_tokens where app_id = ${appId}`
    const modelDigest = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(past.map(({ digest }) => digest.toString('hex')).sort()).toEqual(
      tokens
        .filter((each) => each !== token)
        .map(modelDigest)
        .sort(),
    )
    expect(await applyEvent(db, holder, { kind: 'removed' })).toBe('applied')
    for (const each of tokens) expect(await applyEvent(db, holder, grant(each))).toBe('unchanged')
    expect(await currentToken(appId)).toEqual({ '1/1': [token, 'invalid'] })
  }
})

test('tokens: a holder gets at most 100 new tokens a day', async () => {
  const holder = { appId: await newApp(), fid: 1, clientFid: 1 }
  for (let number = 0; number <= 100; number += 1) await applyEvent(db, holder, grant(`token-${number}`))
  await db`update miniapps.replaced_tokens set replaced_at = replaced_at - interval '23 hours' where client_fid = 1`
  // The first was replaced 23 hours ago, and a moment.
  await expect(applyEvent(db, holder, grant('one-more'))).rejects.toMatchObject({
    code: 'bad_request.rate_limited',
    retryAfterSeconds: expect.closeTo(3_600, -3),
  })
  expect(await applyEvent(db, holder, grant('token-7'))).toBe('unchanged')
  expect(await applyEvent(db, { ...holder, clientFid: 2 }, grant('one-more'))).toBe('applied')
  await db`update miniapps.replaced_tokens set replaced_at = now() - interval '25 hours'`
  expect(await applyEvent(db, holder, grant('one-more'))).toBe('applied')
})
