import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { appKeyAuthorization } from '../src/features/bearer/testing/app-key-token.js'
import { secretDigest } from '../src/platform/vault/secret-digest.js'
import { createMessageSigner } from '../src/protocol/sign.js'
import { TestUser } from './network.js'
import { refusalOf } from './published-client/error-of-call.js'
import { signInWithBrowser } from './secrets/browser-sign-in.js'
import { collectSignerKeys, dumpDatabase } from './secrets/database-dump.js'
import {
  misplacedSecrets,
  misplacedWithSigner,
  sendMisplaced,
  sendRawBytes,
} from './secrets/misplaced-secrets.js'
import {
  type Account,
  bytesOf,
  type Client,
  createParticipants,
  nowUnix,
  type Participants,
} from './secrets/participants.js'
import { startRecordedRun } from './secrets/recorded-run.js'
import { startReceiver } from './webhooks/receiver.js'

// Starts a server and a dozen commands as processes.
test('an app acts for users, and no secret appears in any output', async () => {
  const run = await startRecordedRun()
  const participants = await createParticipants(run)
  const bobsToken = await registerParticipants(participants)
  const hash = await publish(participants)
  const reply = await answer(participants, hash, bobsToken)
  await join(participants)
  await avoid(participants, hash, reply)
  await undo(participants, hash, reply)
  await watch(participants)
  await signInWithBrowser(participants)

  await swapSigners(participants, bobsToken)
  await collectSignerKeys(run)
  const dump = await dumpDatabase(run)
  run.server.child.kill('SIGTERM')
  await run.server.ended
  const written = await run.collectOutput()
  expect(run.search.findIn([...written, ...dump])).toEqual([])

  // The search works: it finds secrets in the replies that return them.
  const documentedNames = new Set(written.flatMap(({ allowedSecrets = [] }) => allowedSecrets))
  for (const name of documentedNames) {
    const all = run.search.findIn(written.map(({ source, text }) => ({ source, text })))
    expect(all.filter((line) => line.startsWith(`${name} in `))).not.toEqual([])
  }
  expect(documentedNames.size).toBe(9)
  expect(dump.map(({ text }) => text).join()).toContain(secretDigest(participants.key).toString('hex'))
})

/** Creates a name, a profile, and an app key with valid tokens. */
async function registerParticipants(participants: Participants): Promise<string> {
  const { run, client, reader, alice, bob, aliceSigner, bobSigner } = participants
  for (const [name, { fid }, signerUuid] of [
    ['alice', alice, aliceSigner],
    ['bob', bob, bobSigner],
  ] as const) {
    await run.plaza(['fname', 'register', name, '--fid', `${fid}`])
    const profile = { username: name, displayName: name.toUpperCase(), bio: `${name} likes flowers` }
    expect(await client.updateUser({ signerUuid, ...profile })).toMatchObject({ success: true })
    const { user } = await reader.lookupUserByUsername({ username: name })
    expect(user).toMatchObject({
      fid,
      display_name: name.toUpperCase(),
      profile: { bio: { text: profile.bio } },
    })
  }
  const made = await run.plaza(['signer', 'add', '--fid', `${bob.fid}`, '--json'], ['the app key of bob'])
  const { privateKey } = JSON.parse(made)
  run.search.add('the app key of bob', privateKey, bytesOf(privateKey))
  const key = createMessageSigner(bytesOf(privateKey))
  const authorization = appKeyAuthorization(new TestUser(bob.fid), {
    key,
    header: { key: `0x${key.publicKey.toString('hex')}` },
    payload: { exp: nowUnix() + 300 },
  })
  const token = authorization.replace('Bearer ', '')
  run.search.add('the bearer token of bob', token, token.split('.')[2]!)
  return token
}

const castOf = async (client: Client, identifier: string, viewerFid?: number) =>
  (await client.lookupCastByHashOrUrl({ identifier, type: 'hash', ...(viewerFid ? { viewerFid } : {}) })).cast

/** Alice creates a channel and casts in it; another key of the app reads it immediately. */
async function publish({ run, key, client, reader, alice, bob, aliceSigner }: Participants): Promise<string> {
  const made = await fetch(`${run.url}/v2/farcaster/channel`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ signer_uuid: aliceSigner, channel_id: 'gardens', name: 'Gardens' }),
  })
  expect([made.status, await made.json()]).toMatchObject([
    200,
    { channel: { id: 'gardens', lead: { fid: alice.fid } } },
  ])
  const {
    cast: { hash },
  } = await client.publishCast({
    signerUuid: aliceSigner,
    text: 'roses for @bob',
    channelId: 'gardens',
    // The client's generator merged the three kinds of embeds into one type.
    embeds: [{ url: 'https://gardens.example/rose.png' }] as never,
    idem: 'roses-for-bob-01',
  })
  expect(await castOf(reader, hash)).toMatchObject({
    text: 'roses for @bob',
    author: { fid: alice.fid },
    channel: { id: 'gardens' },
    mentioned_profiles: [{ fid: bob.fid }],
    embeds: [{ url: 'https://gardens.example/rose.png' }],
  })
  return hash
}

/** Bob reacts, and alice gets notifications. */
async function answer(
  { run, key, client, reader, alice, bob, aliceSigner, bobSigner: signerUuid }: Participants,
  target: string,
  bobsToken: string,
): Promise<string> {
  for (const reactionType of ['like', 'recast'] as const) {
    await client.publishReaction({ signerUuid, reactionType, target })
  }
  await client.followUser({ signerUuid, targetFids: [alice.fid] })
  const { cast: reply } = await client.publishCast({ signerUuid, text: 'how they smell', parent: target })
  await client.publishCast({
    signerUuid,
    text: 'look at these',
    embeds: [{ cast_id: { fid: alice.fid, hash: target } }] as never,
  })
  expect(await castOf(reader, target, bob.fid)).toMatchObject({
    reactions: { likes_count: 1, recasts_count: 1 },
    replies: { count: 1 },
    viewer_context: { liked: true, recasted: true },
  })

  const inbox = async ({ fid }: Account) => {
    const page = await reader.fetchAllNotifications({ fid })
    return [page.notifications.map(({ type }) => String(type)).sort(), page.unseen_notifications_count]
  }
  const all = ['follows', 'likes', 'quote', 'recasts', 'reply']
  await expect.poll(() => inbox(alice)).toEqual([all, all.length])
  await client.markNotificationsAsSeen({ signerUuid: aliceSigner })
  expect(await inbox(alice)).toEqual([all, 0])
  await expect.poll(() => inbox(bob)).toEqual([['mention'], 1])
  const seen = await fetch(`${run.url}/v2/farcaster/notifications/seen`, {
    method: 'POST',
    headers: { 'x-api-key': key, authorization: `Bearer ${bobsToken}` },
  })
  expect(seen.status).toBe(200)
  expect(await inbox(bob)).toEqual([['mention'], 0])
  return reply.hash
}

async function join({ client, reader, alice, bob, aliceSigner, bobSigner }: Participants): Promise<void> {
  const inviteRequest = { channelId: 'gardens', role: 'member' } as const
  const members = async () =>
    (await reader.fetchChannelMembers({ channelId: 'gardens' })).members.map(({ user, role }) => [
      user.fid,
      role,
    ])
  await client.followChannel({ signerUuid: bobSigner, channelId: 'gardens' })
  await client.inviteChannelMember({ ...inviteRequest, fid: bob.fid, signerUuid: aliceSigner })
  expect((await reader.fetchChannelInvites({ invitedFid: bob.fid })).invites).toHaveLength(1)
  await client.respondChannelInvite({ ...inviteRequest, accept: true, signerUuid: bobSigner })
  expect(await members()).toEqual([
    [bob.fid, 'member'],
    [alice.fid, 'owner'],
  ])
  await client.removeChannelMember({ ...inviteRequest, fid: bob.fid, signerUuid: aliceSigner })
  expect(await members()).toEqual([[alice.fid, 'owner']])
}

/** Blocks, mutes and bans: bob's reply disappears for alice, then for all users of the app. */
async function avoid(
  { client, reader, otherApp, alice, bob, aliceSigner }: Participants,
  target: string,
  reply: string,
): Promise<void> {
  const replies = async (by: Client, viewerFid?: number) => {
    const { conversation } = await by.lookupCastConversation({
      identifier: target,
      type: 'hash',
      ...(viewerFid ? { viewerFid } : {}),
    })
    return conversation.cast.direct_replies.map(({ hash }) => hash)
  }
  const countNotifications = async () =>
    (await reader.fetchAllNotifications({ fid: alice.fid })).notifications.length
  expect(await replies(reader, alice.fid)).toEqual([reply])

  const block = { signerUuid: aliceSigner, blockedFid: bob.fid }
  const mute = { fid: alice.fid, mutedFid: bob.fid }
  for (const [begin, end] of [
    [() => client.publishBlock(block), () => client.deleteBlock(block)],
    [() => client.publishMute(mute), () => client.deleteMute(mute)],
  ] as const) {
    await begin()
    expect([await replies(reader, alice.fid), await replies(reader), await countNotifications()]).toEqual([
      [],
      [reply],
      0,
    ])
    await end()
    expect([await replies(reader, alice.fid), await countNotifications()]).toEqual([[reply], 5])
  }

  await client.publishBans({ fids: [bob.fid] })
  expect([await replies(reader), await replies(otherApp), await countNotifications()]).toEqual([
    [],
    [reply],
    0,
  ])
  await client.deleteBans({ fids: [bob.fid] })
  expect([await replies(reader), await countNotifications()]).toEqual([[reply], 5])
}

async function undo(
  { client, reader, alice, aliceSigner, bobSigner }: Participants,
  target: string,
  reply: string,
) {
  await client.deleteReaction({ signerUuid: bobSigner, reactionType: 'like', target })
  await client.unfollowUser({ signerUuid: bobSigner, targetFids: [alice.fid] })
  await client.deleteCast({ signerUuid: bobSigner, targetHash: reply })
  expect(await castOf(reader, target)).toMatchObject({ reactions: { likes_count: 0 }, replies: { count: 0 } })
  await client.deleteCast({ signerUuid: aliceSigner, targetHash: target })
  for (const identifier of [reply, target]) {
    expect(await refusalOf(castOf(reader, identifier))).toEqual([404, 'NotFound', 'identifier'])
  }
}

/** A webhook whose receiver fails, so that deliveries are retried and reported. */
async function watch({ run, client, reader, aliceSigner }: Participants): Promise<void> {
  const receiver = await startReceiver((response) => response.writeHead(500).end('no'))
  const { webhook } = await client.publishWebhook({
    name: 'casts',
    url: receiver.url,
    subscription: { 'cast.created': {} },
  })
  const [secret] = webhook!.secrets
  run.search.add(
    'the secret of a webhook',
    secret!.value,
    Buffer.from(secret!.value.slice('whsec_'.length), 'base64'),
  )
  await client.publishCast({ signerUuid: aliceSigner, text: 'who is told?' })
  await receiver.waitForCount(1)
  expect((await reader.fetchWebhooks()).webhooks).toHaveLength(1)
}

/** Puts secrets where none belongs, and reads what the server returns. */
async function swapSigners(
  { run, key, app, alice, aliceSigner }: Participants,
  bobsToken: string,
): Promise<void> {
  for (const secret of [key, alice.custodyKey]) {
    for (const request of misplacedSecrets(secret, key)) await sendMisplaced(run.url, request)
  }
  for (const secret of [bobsToken, run.adminToken]) {
    for (const request of misplacedSecrets(secret, key, [])) await sendMisplaced(run.url, request)
  }
  const accepted: (string | undefined)[] = []
  for (const request of misplacedWithSigner(alice.custodyKey.slice(2), key, aliceSigner)) {
    if ((await sendMisplaced(run.url, request)) < 400) accepted.push(request.body)
  }
  expect(accepted).toEqual([])
  for (const text of [`GET /?${key} HTTP/9.9\r\n\r\n`, `${key}\r\n\r\n`, `GET / HTTP/1.1\r\n${key}\r\n\r\n`])
    run.recordReply(await sendRawBytes(run.server.url, text))
  for (const path of ['/metrics', '/openapi.json', '/docs', '/healthz', '/readyz', '/v1/info']) {
    await sendMisplaced(run.url, { method: 'GET', path, headers: { 'x-api-key': key } })
  }
  const tooShort = `0x${randomBytes(31).toString('hex')}`
  run.search.add('a key that is too short', tooShort.slice(2))
  await run.plazaFails('fid', 'create', '--custody', app.custodyKey)
  await run.plazaFails('signer', 'approve', 'nobody', '--fid', `${alice.fid}`, '--custody-key', tooShort)
  const answer = ['--fid', `${alice.fid}`, '--custody-key', alice.custodyKey]
  await run.plazaFails('signer', 'approve', alice.custodyKey, ...answer)
}
