import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto'
import {
  CastType,
  Message,
  makeCastAdd,
  makeReactionAdd,
  NobleEd25519Signer,
  ReactionType,
} from '@farcaster/core'
import { privateKeyToAccount } from 'viem/accounts'
import { clientOf } from './old-version.mjs'
import { registerUser } from './register-user.mjs'

const DEADLINE = Math.floor(Date.now() / 1000) + 300 * 86_400
const DEVNET = 3
const PKCS8_ED25519 = '302e020100300506032b657004220420'

/** Creates what an operator and apps have, on a server with a demo. Returns the secrets that they keep. */
export async function fill({ version, url, adminToken, receiverUrl, receiver }) {
  const { plazaJson, plaza } = version
  const admin = clientOf(url, { authorization: `Bearer ${adminToken}` })
  const people = await createPeople(version)
  const reader = await createApp(version, 'Reader', ['--rate-limit', '100000'])
  const writer = await createApp(version, 'Writer')
  await plaza(
    'app',
    'edit',
    'Writer',
    '--fid',
    `${people.maker.fid}`,
    '--mini-app-domain',
    'garden.example.com',
  )
  const revoked = await plazaJson('key', 'create', '--app', 'Reader')
  await plaza('key', 'revoke', `${revoked.api_key.id}`)
  const { app: made } = await admin('POST', '/admin/apps', { name: 'By the admin API' })
  const adminKey = await admin('POST', `/admin/apps/${made.id}/keys`, { rate_limit: 600 })
  const wallet = await plazaJson('wallet', 'create', '--app', 'Writer')

  const write = apiOf(url, writer.key)
  const webhooks = await createWebhooks(write, receiverUrl)
  await createChannels(version, people)
  const signers = await createSigners(version, write, people)
  await publish(write, signers.approved.signer_uuid, people)
  await joinChannel(write, signers, people)
  await write('POST', 'mute', { fid: people.alice.fid, muted_fid: 5 })
  await write('POST', 'mute', { fid: 1, muted_fid: 2 })
  await write('POST', 'block', { signer_uuid: signers.approved.signer_uuid, blocked_fid: 9 })
  await write('POST', 'ban', { fids: [20, 31] })
  await submitToHub(url, people)
  await write('POST', 'user/follow', {
    signer_uuid: signers.limited.signer_uuid,
    target_fids: [people.alice.fid, 3],
  })
  await grantTokens(url, writer.app, people, receiverUrl)
  await write('POST', 'frame/notifications', {
    notification: {
      title: 'Your turn',
      body: 'Ann has moved',
      target_url: 'https://garden.example.com/play',
      uuid: randomUUID(),
    },
    target_fids: [people.alice.fid, people.bob.fid],
  })
  const registered = await registerUser(write, wallet.wallet_id, 'newcomer')
  await plaza('score')
  await write('POST', 'notifications/seen', { signer_uuid: signers.approved.signer_uuid, type: 'follows' })
  await until(async () => {
    const deliveries = await Promise.all(
      webhooks.map(({ id }) => write('GET', `webhook/deliveries?webhook_id=${id}`)),
    )
    const all = deliveries.flatMap((page) => page.deliveries)
    return all.length > 0 && all.every(({ attempts, status }) => attempts > 0 || status === 'canceled')
  })
  return {
    keys: { reader: reader.key, writer: writer.key, admin: adminKey.key, revoked: revoked.key },
    apps: { reader: reader.app, writer: writer.app, admin: made.id },
    people: { ...people, registered },
    signers,
    webhooks,
    wallet: wallet.wallet_id,
    delivered: receiver.received.length,
  }
}

/** Requests to the main API with a key. */
export function apiOf(url, key) {
  const plain = clientOf(url, { 'x-api-key': key })
  return (method, path, body, walletId) =>
    (walletId === undefined ? plain : clientOf(url, { 'x-api-key': key, 'x-wallet-id': walletId }))(
      method,
      `/v2/social/${path}`,
      body,
    )
}

async function createPeople({ plaza, plazaJson }) {
  const people = {}
  for (const name of ['maker', 'alice', 'bob', 'carol']) {
    const { fid, custody, custodyPrivateKey } = await plazaJson('fid', 'create')
    const { privateKey, key } = await plazaJson('signer', 'add', '--fid', `${fid}`)
    people[name] = { fid, custody, custodyKey: custodyPrivateKey, appKey: privateKey, publicKey: key }
  }
  await plaza('storage', 'rent', '--fid', `${people.alice.fid}`, '--units', '2')
  for (const name of ['alice', 'bob'])
    await plaza('fname', 'register', `${name}-of-old`, '--fid', `${people[name].fid}`)
  return people
}

async function createApp({ plazaJson }, name, options = []) {
  const { api_key, key } = await plazaJson('key', 'create', '--app', name, ...options)
  return { app: api_key.app_id, key }
}

async function createWebhooks(write, receiverUrl) {
  const wanted = [
    { name: 'everything of one author', path: 'in', subscription: { 'cast.created': { author_fids: [1] } } },
    {
      name: 'words and reactions',
      path: 'in',
      subscription: { 'cast.created': { text: '(?i)tulips' }, 'reaction.created': {}, 'follow.created': {} },
    },
    { name: 'rotated', path: 'in', subscription: { 'cast.created': { text: 'roses' } } },
    { name: 'broken', path: 'broken', subscription: { 'cast.created': { text: 'a quote' } } },
    { name: 'gone', path: 'gone', subscription: { 'cast.created': { text: 'tulips' } } },
    { name: 'inactive', path: 'in', subscription: { 'user.updated': {} } },
  ]
  const webhooks = []
  for (const { path, ...rest } of wanted) {
    const { webhook } = await write('POST', 'webhook', { ...rest, url: `${receiverUrl}/${path}` })
    webhooks.push({
      id: webhook.webhook_id,
      name: rest.name,
      secrets: webhook.secrets.map(({ value }) => value),
    })
  }
  const rotated = webhooks.find(({ name }) => name === 'rotated')
  const { webhook } = await write('POST', 'webhook/secret/rotate', {
    webhook_id: rotated.id,
    grace_seconds: 0,
  })
  rotated.secrets = webhook.secrets.map(({ value }) => value)
  const inactive = webhooks.find(({ name }) => name === 'inactive')
  await write('PATCH', 'webhook', { webhook_id: inactive.id, active: 'false' })
  return webhooks
}

async function createChannels({ plaza }, { alice, bob }) {
  const image = 'https://pictures.plaza.example/gardens.png'
  await plaza('channel', 'create', 'gardens', '--name', 'Gardens', '--lead', `${alice.fid}`, '--image', image)
  await plaza(
    'channel',
    'edit',
    'gardens',
    '--description',
    'What grows',
    '--also-url',
    'https://gardens.example/old',
  )
  await plaza('channel', 'create', 'music', '--name', 'Music', '--lead', `${bob.fid}`)
}

async function createSigners({ plaza }, write, { maker, alice, bob, carol }) {
  const app = privateKeyToAccount(maker.custodyKey)
  const request = async (sponsored = {}) => {
    const signer = await write('POST', 'signer')
    const signature = await signKeyRequest(app, maker.fid, signer.public_key)
    await write('POST', 'signer/signed_key', {
      signer_uuid: signer.signer_uuid,
      app_fid: maker.fid,
      deadline: DEADLINE,
      signature,
      ...sponsored,
    })
    return signer
  }
  const answer = async (verb, { signer_uuid }, { fid, custodyKey }, ...more) =>
    plaza('signer', verb, signer_uuid, '--fid', `${fid}`, '--custody-key', custodyKey, ...more)
  const approved = await request()
  await answer('approve', approved, alice)
  const limited = await request()
  await answer('approve', limited, bob, '--permissions', 'PUBLISH_CAST,FOLLOW_USER,FOLLOW_CHANNEL')
  const refused = await request()
  await answer('refuse', refused, bob)
  const revoked = await request()
  await answer('approve', revoked, carol)
  await plaza('signer', 'remove', '--fid', `${carol.fid}`, '--key', revoked.public_key)
  const pending = await request()
  const generated = await write('POST', 'signer')
  const ownKey = `0x${createHash('sha256').update('a key of the developer').digest('hex')}`
  await write('POST', 'signer/developer_managed/signed_key', {
    public_key: ownKey,
    app_fid: maker.fid,
    deadline: DEADLINE,
    signature: await signKeyRequest(app, maker.fid, ownKey),
  })
  return { approved, limited, refused, revoked, pending, generated, developerKey: ownKey }
}

function signKeyRequest(app, fid, key) {
  return app.signTypedData({
    domain: {
      name: 'Farcaster SignedKeyRequestValidator',
      version: '1',
      chainId: 10,
      verifyingContract: '0x00000000fc700472606ed4fa22623acf62c60553',
    },
    types: {
      SignedKeyRequest: [
        { name: 'requestFid', type: 'uint256' },
        { name: 'key', type: 'bytes' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'SignedKeyRequest',
    message: { requestFid: BigInt(fid), key, deadline: BigInt(DEADLINE) },
  })
}

async function publish(write, signer_uuid, { bob }) {
  const cast = async (body) => (await write('POST', 'cast', { signer_uuid, ...body })).cast.hash
  await write('PATCH', 'user', {
    signer_uuid,
    username: 'alice-of-old',
    display_name: 'Alice of old',
    bio: 'Grows tulips',
    pfp_url: 'https://pictures.plaza.example/alice.png',
    location: { latitude: 52.52, longitude: 13.4 },
  })
  const first = await cast({ text: 'The first tulips are out', channel_id: 'gardens', idem: 'first tulips' })
  const reply = await cast({ text: 'and the roses?', parent: first })
  await cast({ text: 'a quote', embeds: [{ cast_id: { hash: first, fid: await authorOf(write, first) } }] })
  await cast({ text: 'look @bob-of-old https://pictures.plaza.example/rose.jpg' })
  const unwanted = await cast({ text: 'a mistake' })
  await write('DELETE', 'cast', { signer_uuid, target_hash: unwanted })
  await write('POST', 'reaction', { signer_uuid, reaction_type: 'like', target: first })
  await write('POST', 'reaction', { signer_uuid, reaction_type: 'recast', target: reply })
  await write('POST', 'reaction', {
    signer_uuid,
    reaction_type: 'like',
    target: 'https://plaza.example/page',
  })
  await write('POST', 'user/follow', { signer_uuid, target_fids: [1, 2, 3, bob.fid] })
  await write('DELETE', 'user/follow', { signer_uuid, target_fids: [2] })
}

async function authorOf(write, hash) {
  return (await write('GET', `cast?type=hash&identifier=${hash}`)).cast.author.fid
}

async function joinChannel(write, { approved, limited }, { bob }) {
  const asBob = { signer_uuid: limited.signer_uuid, channel_id: 'gardens' }
  await write('POST', 'channel/follow', asBob)
  await write('POST', 'channel/follow', { signer_uuid: approved.signer_uuid, channel_id: 'music' })
  const invite = { signer_uuid: approved.signer_uuid, channel_id: 'gardens', role: 'member' }
  await write('POST', 'channel/member/invite', { ...invite, fid: bob.fid })
  await write('PUT', 'channel/member/invite', { ...asBob, role: 'member', accept: true })
  await write('POST', 'channel/member/invite', { ...invite, role: 'moderator', fid: bob.fid })
}

/** Messages that their users sign themselves. */
async function submitToHub(url, { bob, alice }) {
  const signer = new NobleEd25519Signer(Buffer.from(bob.appKey.slice(2), 'hex'))
  const options = { fid: bob.fid, network: DEVNET }
  const body = {
    embeds: [],
    embedsDeprecated: [],
    mentionsPositions: [0],
    mentions: [alice.fid],
    type: CastType.CAST,
  }
  const cast = (await makeCastAdd({ ...body, text: ' see my tulips' }, options, signer))._unsafeUnwrap()
  const like = { type: ReactionType.LIKE, targetCastId: { fid: bob.fid, hash: cast.hash } }
  const reaction = (await makeReactionAdd(like, options, signer))._unsafeUnwrap()
  for (const message of [cast, reaction]) {
    const response = await fetch(`${url}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: Message.encode(message).finish(),
    })
    if (!response.ok) throw new Error(`submitMessage: ${await response.text()}`)
  }
}

async function grantTokens(url, app, people, receiverUrl) {
  const send = clientOf(url, {})
  const details = (token) => ({ notificationDetails: { url: `${receiverUrl}/client`, token } })
  const events = [
    [people.alice, { event: 'miniapp_added', ...details('token-of-alice') }],
    [people.bob, { event: 'miniapp_added', ...details('token-of-bob') }],
    [people.carol, { event: 'miniapp_added', ...details('token-of-carol') }],
    [people.carol, { event: 'notifications_disabled' }],
    [people.maker, { event: 'miniapp_added', ...details('first-token-of-maker') }],
    [people.maker, { event: 'notifications_enabled', ...details('token-of-maker') }],
  ]
  for (const [person, event] of events) await send('POST', `/f/app/${app}/event`, signEvent(person, event))
}

/** Signs an event of a client app as the app key of a user. */
function signEvent({ fid, appKey, publicKey }, event) {
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const header = encode({ fid, type: 'app_key', key: publicKey })
  const payload = encode(event)
  const der = Buffer.from(`${PKCS8_ED25519}${appKey.slice(2)}`, 'hex')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const signature = sign(null, Buffer.from(`${header}.${payload}`), key).toString('base64url')
  return { header, payload, signature }
}

async function until(check) {
  for (let left = 300; !(await check()); left -= 1) {
    if (left === 0) throw new Error('deliveries do not end')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
