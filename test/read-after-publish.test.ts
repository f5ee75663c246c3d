import { expect, it } from 'vitest'
import { ensureApp } from '../src/features/apps/apps.js'
import { createSigner } from '../src/features/signers/signer-record.js'
import { createVault } from '../src/platform/vault/vault.js'
import { SignerEventType } from '../src/protocol/definitions.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer } from './running-server.js'

const { db, url } = await createTestDatabase()
const secretKey = 'the-secret-key-of-a-server-with-its-views-ready'

it('a server shows what it has published immediately, despite its cache', async () => {
  const server = await startTestServer(url, {
    PLAZA_SECRET_KEY: secretKey,
    PLAZA_DEV_API_KEY: 'a-key-that-publishes',
  })
  const user = new TestUser(1)
  const signer = await createSigner(
    { db, vault: createVault([secretKey]) },
    await ensureApp(db, 'development'),
  )
  await server.hub.submitOnChainEvents([
    ...user.onChain({ units: 10 }),
    ...new TestUser(2).onChain(),
    user.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey),
  ])
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    values ('gardens', 'https://a.example/c', 'https://a.example/c', 'Gardens', 1, 1700000000)`
  const headers = { 'x-api-key': 'a-key-that-publishes', 'content-type': 'application/json' }
  const request = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`${server.urls.main}/v2/farcaster/${path}`, { headers, ...init })
    const body = (await reply.json()) as ReturnType<typeof JSON.parse>
    expect([reply.status, body.message]).toEqual([200, reply.ok ? body.message : undefined])
    return body
  }
  const send = (method: string, path: string, body: object) =>
    request(path, { method, body: JSON.stringify({ signer_uuid: signer.id, ...body }) })

  const likes = async (hash: string) =>
    (await request(`cast?identifier=${hash}&type=hash`)).cast.reactions.likes_count
  const person = async (fid: number) => (await request(`user/bulk?fids=${fid}`)).users[0]
  const followers = async () => (await request('channel?id=gardens')).channel.follower_count

  for (let round = 1; round <= 10; round += 1) {
    const { cast } = await send('POST', 'cast', { text: `round ${round}` })
    expect(await likes(cast.hash)).toBe(0)
    await send('POST', 'reaction', { reaction_type: 'like', target: cast.hash })
    expect(await likes(cast.hash)).toBe(1)
    await send('DELETE', 'reaction', { reaction_type: 'like', target: cast.hash })
    expect(await likes(cast.hash)).toBe(0)

    expect((await person(2)).follower_count).toBe(0)
    await send('POST', 'user/follow', { target_fids: [2] })
    expect((await person(2)).follower_count).toBe(1)
    await send('DELETE', 'user/follow', { target_fids: [2] })
    expect((await person(2)).follower_count).toBe(0)

    await send('PATCH', 'user', { bio: `round ${round}` })
    expect((await person(1)).profile.bio.text).toBe(`round ${round}`)

    expect(await followers()).toBe(0)
    await send('POST', 'channel/follow', { channel_id: 'gardens' })
    expect(await followers()).toBe(1)
    await send('DELETE', 'channel/follow', { channel_id: 'gardens' })
    expect(await followers()).toBe(0)
  }
})
