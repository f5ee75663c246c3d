import { describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../src/app/testing/test-api.js'
import { registerKeyHolder, signKeyRequestBody } from '../src/features/signers/testing/key-holder.js'
import { NetFailureError, netFailure } from '../src/platform/outbound/net-failure.js'
import { createSavedTargets } from '../src/platform/outbound/saved-targets.js'
import { signJson } from '../src/protocol/json-signature.js'
import { createTestDatabase } from './database.js'
import { createTestHub } from './hub.js'
import { TestUser, testNowUnix } from './network.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const adminToken = 'a-token-of-an-operator-of-32-characters'
const savedTargets = createSavedTargets({
  clock,
  policy: { allowLoopback: false },
  resolve: async (host) => {
    if (host.startsWith('inside.')) return ['10.0.0.7']
    if (host.startsWith('public.')) return ['8.8.8.8']
    throw new NetFailureError(netFailure('unknown-host', 'the name has no address'))
  },
})
const checked = await createTestApi({ db, hub, clock, adminToken, savedTargets, appName: 'checked' })
const unchecked = await createTestApi({ db, hub, clock, adminToken, appName: 'unchecked' })
const alice = new TestUser(1)
await hub.submitOnChainEvents(alice.onChain({ units: 1 }))
const asking = await registerKeyHolder({ db, hub, clock })

type Save = (api: TestApi, host: string) => ReturnType<TestApi['send']>

async function createdId(api: TestApi, path: string, body: object, member: string): Promise<string> {
  const reply = (await api.send('POST', path, body)).json()
  return (reply[member] ?? reply.webhook?.[member]) as string
}

const admin = (api: TestApi, method: 'POST' | 'PATCH', url: string, payload: object) =>
  api.app.inject({ method, url, payload, headers: { authorization: `Bearer ${adminToken}` } })

let names = 0
function nextNumber(): number {
  names += 1
  return names
}
const nextName = () => `name ${nextNumber()}`
const pages = (host: string) => [
  {
    uuid: '0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55',
    version: 'vNext',
    title: 'Garden',
    image: { url: 'https://public.garden.social/a.png', aspect_ratio: '1:1' },
    buttons: [
      {
        index: 1,
        title: 'Go',
        action_type: 'post_redirect',
        next_page: { redirect_url: `https://${host}/` },
      },
    ],
  },
]

/** Every place that stores a URL which the server requests later, or which it sends a browser to. */
const saves: Readonly<Record<string, readonly [member: string, save: Save]>> = {
  'POST webhook': [
    'url',
    (api, host) => api.send('POST', 'webhook', { name: nextName(), url: `https://${host}/hook` }),
  ],
  'PUT webhook': [
    'url',
    async (api, host) => {
      const body = { name: nextName(), url: 'https://public.garden.social/' }
      const webhook_id = await createdId(api, 'webhook', body, 'webhook_id')
      return api.send('PUT', 'webhook', { webhook_id, name: nextName(), url: `https://${host}/hook` })
    },
  ],
  'POST frame': ['pages', (api, host) => api.send('POST', 'frame', { name: nextName(), pages: pages(host) })],
  'PUT frame': [
    'pages',
    async (api, host) => {
      const body = { name: nextName(), pages: pages('public.garden.social') }
      const uuid = await createdId(api, 'frame', body, 'uuid')
      return api.send('PUT', 'frame', { uuid, pages: pages(host) })
    },
  ],
  'POST signer/signed_key': [
    'redirect_url',
    async (api, host) => {
      const { signer_uuid, public_key } = (await api.send('POST', 'signer', {})).json()
      const request = await signKeyRequestBody(asking, public_key, testNowUnix + 86_400)
      return api.send('POST', 'signer/signed_key', {
        signer_uuid,
        ...request,
        redirect_url: `https://${host}/done`,
      })
    },
  ],
  'POST signer/developer_managed/signed_key': [
    'redirect_url',
    async (api, host) => {
      const public_key = `0x${nextNumber().toString(16).padStart(64, '3')}`
      const request = await signKeyRequestBody(asking, public_key, testNowUnix + 86_400)
      const redirect_url = `https://${host}/done`
      return api.send('POST', 'signer/developer_managed/signed_key', { public_key, ...request, redirect_url })
    },
  ],
  'POST /f/app/:client_id/event': [
    'notificationDetails.url',
    (api, host) => {
      const notificationDetails = { url: `https://${host}/notify`, token: `token-${nextNumber()}` }
      const payload = signJson(alice.fid, alice.key, { event: 'notifications_enabled', notificationDetails })
      return api.app.inject({ method: 'POST', url: `/f/app/${api.appId}/event`, payload })
    },
  ],
  'POST /admin/apps, its domain': [
    'mini_app_domain',
    (api, host) => admin(api, 'POST', '/admin/apps', { name: nextName(), mini_app_domain: host }),
  ],
  'PATCH /admin/apps/:id, its origins': [
    'authorized_origins',
    (api, host) =>
      admin(api, 'PATCH', `/admin/apps/${api.appId}`, { authorized_origins: [`https://${host}`] }),
  ],
}

describe.each(Object.entries(saves))('%s', (name, [member, save]) => {
  it('refuses a name that resolves to a private address, and names the member', async () => {
    const reply = await save(checked, `inside.${nextNumber()}.garden.social`)
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      {
        property: member,
        message: `${member} is not an allowed target: the target is not on the public internet`,
      },
    ])
  })

  it('refuses the port of another service', async ({ skip }) => {
    // A host name without a port.
    if (name.endsWith('domain')) skip()
    const reply = await save(checked, 'public.garden.social:800')
    expect([reply.statusCode, reply.json().property]).toEqual([400, member])
  })

  it('accepts public names, names that do not resolve, and any name where the check is off', async () => {
    for (const [api, host] of [
      [checked, `public.${nextNumber()}.social`],
      [checked, `nowhere.${nextNumber()}.social`],
      [unchecked, `inside.${nextNumber()}.social`],
    ] as const) {
      const reply = await save(api, host)
      expect([host, reply.statusCode, reply.body]).toEqual([
        host,
        expect.toBeOneOf([200, 201]),
        expect.any(String),
      ])
    }
  })
})
