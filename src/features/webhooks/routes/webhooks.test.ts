import { RE2JS } from 're2js'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'

const { db } = await createTestDatabase()
const api = await createTestApi({ db })
const other = await createTestApi({ db, appName: 'other' })

const url = 'https://hooks.plaza.social/in'
const subscription = { 'cast.created': { author_fids: [1, 2], text: '(?i)\\$degen' } }

async function create(body: object = {}, by = api) {
  const reply = await by.send('POST', 'webhook', { name: 'mine', url, subscription, ...body })
  return reply.json().webhook
}

it('is created with a secret that only its app sees', async () => {
  const made = await create()
  expect(made).toMatchObject({
    object: 'webhook',
    title: 'mine',
    target_url: url,
    active: true,
    description: '',
    http_timeout: '10s',
    rate_limit: 5000,
    rate_limit_duration: '1m0s',
    deleted_at: null,
    secrets: [{ value: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), deleted_at: null }],
    subscription: { object: 'webhook_subscription', filters: subscription },
  })
  expect((await api.get('webhook', { webhook_id: made.webhook_id })).json().webhook).toEqual(made)
  expect((await api.get('webhook/list')).json().webhooks).toContainEqual(made)
  expect((await other.get('webhook', { webhook_id: made.webhook_id })).statusCode).toBe(404)
  expect((await other.get('webhook/list')).json()).toEqual({ webhooks: [] })
  const stored = JSON.stringify(await db`select encode(sealed, 'escape') as sealed from webhooks.secrets`)
  expect(stored).not.toContain(made.secrets[0].value)
  expect(api.lines.join()).not.toContain(made.secrets[0].value)
})

it('no subscription -> no events, and duplicates are allowed', async () => {
  const [one, two] = [await create({ subscription: undefined }), await create({ subscription: undefined })]
  expect(one).not.toHaveProperty('subscription')
  expect(two.webhook_id).not.toBe(one.webhook_id)
})

it('the same URL and filters, however written -> 409', async () => {
  const hash = 'ab'.repeat(20)
  const same = { 'cast.created': { parent_hashes: [hash, `0x${'cd'.repeat(20)}`], mentioned_fids: [] } }
  const duplicate = { 'cast.created': { parent_hashes: [`0x${'CD'.repeat(20)}`, `0x${hash}`, hash] } }
  expect(await create({ subscription: same })).toBeDefined()
  const refused = await api.send('POST', 'webhook', {
    name: 'again',
    url: url.replace('hooks', 'HOOKS'),
    subscription: duplicate,
  })
  expect(refused.statusCode).toBe(409)
  expect(refused.json()).toMatchObject({ code: 'Conflict', property: 'subscription' })
  expect(await create({ subscription: duplicate }, other)).toBeDefined()
  expect(await create({ subscription: duplicate, url: `${url}/2` })).toBeDefined()
})

it('only its app updates, deactivates and deletes it', async () => {
  const made = await create({ url: `${url}/changes` })
  const { webhook_id } = made
  const changed = { webhook_id, name: 'new', url: `${url}/new`, subscription: { 'user.created': {} } }
  for (const [method, body] of [
    ['PUT', changed],
    ['PATCH', { webhook_id, active: 'false' }],
    ['DELETE', { webhook_id }],
  ] as const) {
    expect((await other.send(method, 'webhook', body)).statusCode).toBe(404)
  }
  expect((await api.send('PUT', 'webhook', changed)).json().webhook).toMatchObject({
    title: 'new',
    target_url: `${url}/new`,
    subscription: { filters: { 'user.created': {} } },
    secrets: made.secrets,
  })
  const kept = await api.send('PUT', 'webhook', { webhook_id, name: 'newer', url: `${url}/new` })
  expect(kept.json().webhook.subscription.filters).toEqual({ 'user.created': {} })
  expect((await api.send('PATCH', 'webhook', { webhook_id, active: 'false' })).json().webhook.active).toBe(
    false,
  )
  expect((await api.send('PATCH', 'webhook', { webhook_id, active: 'true' })).json().webhook.active).toBe(
    true,
  )
  expect((await api.send('PATCH', 'webhook', { webhook_id, active: true })).json()).toMatchObject({
    status: 400,
    property: 'active',
  })
  const deleted = (await api.send('DELETE', 'webhook', { webhook_id })).json().webhook
  expect(deleted).toMatchObject({ webhook_id, active: false, deleted_at: expect.any(String) })
  expect((await api.get('webhook', { webhook_id })).statusCode).toBe(404)
  expect((await api.send('DELETE', 'webhook', { webhook_id })).statusCode).toBe(404)
})

it('a rotation keeps both secrets for the grace period', async () => {
  const { webhook_id, secrets } = await create({ url: `${url}/rotate` })
  const rotated = (await api.send('POST', 'webhook/secret/rotate', { webhook_id })).json().webhook
  expect(rotated.secrets).toHaveLength(2)
  expect(rotated.secrets[1]).toMatchObject({ uid: secrets[0].uid, value: secrets[0].value })
  const ends = Date.parse(rotated.secrets[1].expires_at) - Date.now()
  expect(Math.round(ends / 3_600_000)).toBe(24)
  const leaked = (await api.send('POST', 'webhook/secret/rotate', { webhook_id, grace_seconds: 0 })).json()
  expect(leaked.webhook.secrets).toHaveLength(1)
  expect(leaked.webhook.secrets[0].value).not.toBe(rotated.secrets[0].value)
})

it('accepts thousands of fids in a list', async () => {
  const author_fids = Array.from({ length: 20_000 }, (_, index) => index + 1)
  const made = await create({ subscription: { 'cast.created': { author_fids } } })
  expect(made.subscription.filters['cast.created'].author_fids).toHaveLength(20_000)
})

const wrongFilters: [property: string, subscription: object][] = [
  ['subscription', {}],
  ['subscription.cast.edited', { 'cast.edited': {} }],
  ['subscription.cast.created.author', { 'cast.created': { author: [1] } }],
  ['subscription.cast.created.author_fids', { 'cast.created': { author_fids: 1 } }],
  ['subscription.cast.created.author_fids.1', { 'cast.created': { author_fids: [1, '2'] } }],
  ['subscription.cast.created.author_fids.0', { 'cast.created': { author_fids: [-1] } }],
  ['subscription.cast.deleted.parent_hashes.0', { 'cast.deleted': { parent_hashes: ['0x12'] } }],
  ['subscription.cast.created.embedded_cast_hashes.0', { 'cast.created': { embedded_cast_hashes: ['xyz'] } }],
  [
    'subscription.reaction.created.target_cast_hashes.0',
    { 'reaction.created': { target_cast_hashes: ['0'] } },
  ],
  ['subscription.cast.created.text', { 'cast.created': { text: '(' } }],
  ['subscription.cast.created.text', { 'cast.created': { text: '(?=look)ahead' } }],
  ['subscription.cast.created.text', { 'cast.created': { text: '(a)\\1' } }],
  ['subscription.cast.deleted.embeds', { 'cast.deleted': { embeds: '[a' } }],
  ['subscription.cast.created.text', { 'cast.created': { text: '(\\w{30}){20}' } }],
  ['subscription.cast.created.text', { 'cast.created': { text: 'a'.repeat(1_001) } }],
  ['subscription.cast.created.minimum_author_score', { 'cast.created': { minimum_author_score: 2 } }],
  ['subscription.follow.created.author_fids', { 'follow.created': { author_fids: [1] } }],
  [
    'subscription.trade.created.minimum_token_amount_usdc',
    { 'trade.created': { minimum_token_amount_usdc: -1 } },
  ],
  ['subscription.user.created.fids', { 'user.created': { fids: [1] } }],
]

it.each(wrongFilters)('is refused with a 400 that names %s', async (property, wrong) => {
  const body = { name: 'wrong', url, subscription: wrong }
  const reply = await api.send('POST', 'webhook', body, { prefer: 'handling=strict' })
  expect(reply.json()).toMatchObject({ status: 400, code: 'InvalidField', property })
})

it.each([
  ['text', '('],
  ['text', 'a\0'],
  ['embeds', 7],
])('the path of a refused %s of %j has the type of event in one piece', async (member, value) => {
  const body = { name: 'wrong', url, subscription: { 'cast.created': { [member]: value } } }
  const reply = await api.send('POST', 'webhook', body)
  expect(reply.json()).toMatchObject({ errors: [{ path: ['subscription', 'cast.created', member] }] })
})

it('ignores filters that there are not, and takes fids as text', async () => {
  const made = await create({ subscription: { 'cast.created': { author: [1], author_fids: [1, '2'] } } })
  expect(made.subscription.filters).toEqual({ 'cast.created': { author_fids: [1, 2] } })
})

it.each([
  'http:/',
  'ftp://plaza.social/',
  'https://user:word@plaza.social/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest',
  'https://metadata.google.internal/',
])('is refused for the target %s', async (target) => {
  const reply = await api.send('POST', 'webhook', { name: 'wrong', url: target, subscription })
  expect(reply.json()).toMatchObject({ status: 400, code: 'InvalidField', property: 'url' })
})

/** Sends webhooks of an app, with an expression or other filters. */
async function createSender(appName: string) {
  const app = await createTestApi({ db, appName })
  const send = (method: 'POST' | 'PUT', path: string, filters: object, more: object = {}) =>
    app.send(method, 'webhook', { name: path, url: `${url}/${path}`, subscription: filters, ...more })
  const sendText = (method: 'POST' | 'PUT', path: string, text: string, more: object = {}) =>
    send(method, path, { 'cast.created': { text } }, more)
  return { app, send, sendText }
}

it('the two names of a minimum score may not have two values, unless one is that of before', async () => {
  const trade = { minimum_trader_service_score: 0.5, minimum_trader_neynar_score: 0.5 }
  const { webhook_id, title } = await create({
    url: `${url}/trades`,
    subscription: { 'trade.created': trade },
  })
  for (const name of Object.keys(trade)) {
    const change = { ...trade, [name]: 0.7 }
    const body = { webhook_id, name: title, url: `${url}/trades`, subscription: { 'trade.created': change } }
    const { webhook } = (await api.send('PUT', 'webhook', body)).json()
    const scores = { minimum_trader_service_score: 0.7, minimum_trader_neynar_score: 0.7 }
    expect(webhook.subscription.filters).toEqual({ 'trade.created': scores })
    const back = { ...body, subscription: { 'trade.created': trade } }
    expect((await api.send('PUT', 'webhook', back)).statusCode).toBe(200)
  }
  const sameName = { 'trade.created': { minimum_trader_neynar_score: 0.5 } }
  const same = { name: 'same', url: `${url}/trades`, subscription: sameName }
  expect((await api.send('POST', 'webhook', same)).statusCode).toBe(409)
  const contradicting = { 'trade.created': { ...trade, minimum_trader_neynar_score: 0.9 } }
  const refused = await api.send('POST', 'webhook', { name: 'two', url, subscription: contradicting })
  expect(refused.statusCode).toBe(400)
  expect(refused.json()).toMatchObject({
    property: 'subscription.trade.created.minimum_trader_neynar_score',
  })
})

it('an app has at most 20 expressions that run for every cast', async () => {
  const { sendText } = await createSender('expressions')
  for (let n = 1; n <= 20; n += 1) {
    expect((await sendText('POST', `every-${n}`, `[aeiou]{${n}}Z`)).statusCode).toBe(200)
  }
  const property = 'subscription.cast.created.text'
  expect((await sendText('POST', 'one-more', '[xyz]+')).json()).toMatchObject({
    status: 400,
    property,
    errors: [{ path: ['subscription', 'cast.created', 'text'] }],
  })
  const indexed = (await sendText('POST', 'indexed', 'plaza [0-9]+')).json().webhook
  const { webhook_id } = indexed
  expect((await sendText('PUT', 'indexed', '[xyz]+', { webhook_id })).json()).toMatchObject({
    status: 400,
    property,
  })
  // Webhooks from before the limit can still be changed.
  await db`
    update webhooks.webhooks set filters = '{"cast.created":{"text":"[xyz]+"}}' where id = ${webhook_id}`
  expect((await sendText('PUT', 'indexed', '[xyz]*', { webhook_id })).statusCode).toBe(200)
  expect((await sendText('PUT', 'renamed', '', { webhook_id, subscription: undefined })).statusCode).toBe(200)
})

it('the expressions of an app have at most 20,000 instructions together, also those that require a text', async () => {
  const { app, send, sendText } = await createSender('instructions')
  // Most casts have a `th`.
  const large = 'th(.*a){90}b'
  const instructions = RE2JS.compile(large).programSize()
  const most = Math.floor(20_000 / instructions)
  const { webhook_id } = (await sendText('POST', '1', large)).json().webhook
  for (let n = 2; n <= most; n += 1) {
    expect((await sendText('POST', String(n), large)).statusCode).toBe(200)
  }
  const property = 'subscription.cast.created.text'
  expect((await sendText('POST', 'one-more', large)).json()).toMatchObject({
    status: 400,
    property,
    message: expect.stringContaining('20,000'),
  })
  const two = { 'cast.created': { author_fids: [1] }, 'cast.deleted': { embeds: large } }
  expect((await send('POST', 'one-more', two)).json().property).toBe('subscription.cast.deleted.embeds')
  expect((await send('POST', 'without', { 'cast.created': { author_fids: [1] } })).statusCode).toBe(200)

  // Webhooks from before the limit can still be changed, to expressions that are not larger.
  await db`
    update webhooks.webhooks set filters = ${JSON.stringify({ 'cast.created': { text: large, embeds: large } })}::text::jsonb
    where id = ${webhook_id}`
  const changed = { 'cast.created': { text: `${large}c`, embeds: 'plaza' } }
  expect((await send('PUT', 'changed', changed, { webhook_id })).statusCode).toBe(200)
  expect((await app.send('DELETE', 'webhook', { webhook_id })).statusCode).toBe(200)
  expect((await sendText('POST', 'one-more', large)).statusCode).toBe(200)
})

it('a thousand words of 18 letters are no more than the expressions of an app may be', () => {
  expect(RE2JS.compile('(?i)constantinopolitan').programSize() * 1_000).toBeLessThanOrEqual(20_000)
})

it('an app has at most 25 webhooks for all events of a type', async () => {
  const { app, send } = await createSender('catch-all')
  const made = []
  for (let n = 1; n <= 25; n += 1) {
    const filters =
      n % 2 === 0 ? {} : { exclude_author_fids: [n], author_fids: [], minimum_author_score: 0.5 }
    made.push((await send('POST', String(n), { 'cast.created': filters })).json().webhook)
  }
  const property = 'subscription.cast.created'
  const one = { 'user.created': {}, 'cast.created': { minimum_author_score: 0.1 } }
  expect((await send('POST', 'one-more', one)).json()).toMatchObject({ status: 400, property })
  for (const [name, value] of Object.entries({ text: 'plaza', author_fids: [1], embeds: 'plaza' })) {
    expect((await send('POST', name, { 'cast.created': { [name]: value } })).statusCode).toBe(200)
  }
  expect((await send('POST', 'other-type', { 'cast.deleted': {} })).statusCode).toBe(200)
  const [{ webhook_id }] = made
  expect((await send('PUT', 'changed', { 'cast.created': {} }, { webhook_id })).statusCode).toBe(200)
  await app.send('DELETE', 'webhook', { webhook_id })
  expect((await send('POST', 'one-more', one)).statusCode).toBe(200)
})
