import { directRequest } from '../../src/features/accounts/testing/direct-request.js'
import { newAccount } from '../../src/features/accounts/testing/new-account.js'
import { signKeyRequestBody } from '../../src/features/signers/testing/key-holder.js'
import { messageJson } from '../../src/hub/methods/json/message.js'
import { toProtobuf } from '../../src/protocol/codec.js'
import { testKey, testNow } from '../network.js'
import type { Budget } from './budget.js'
import { frameBudgets } from './frame-budgets.js'
import { onchainBudgets } from './onchain-budgets.js'
import {
  blockBody,
  claimAddress,
  createOwnCampaign,
  custodyOf,
  enableEvent,
  enableMiniApp,
  grantToken,
  invite,
  makeWebhook,
  muteBody,
  notifyByMiniApp,
  prepareAddressRequest,
  prepareKeyRequest,
  prepareRequest,
  registerNewcomer,
  sendOwnNotification,
  signIn,
  testWebhook,
  WEBHOOK_URL,
} from './prepared-requests.js'
import type { Scene } from './scene.js'
import { TOKEN } from './token-scene.js'

/** Budget without a reason. */
export const defaultBudget = 6

const payingHeaders = ({ walletId }: Scene) => ({ 'x-wallet-id': walletId })
const newWebhook = { name: 'mine', url: WEBHOOK_URL, subscription: { 'cast.created': { author_fids: [1] } } }
const viewer_fid = 2
const channel = { id: 'gardens', viewer_fid }

/**
 * The budget of every operation by `METHOD path`. A new operation fails the test until it has a line: write
 * the request, run `npx vitest run test/house/statement-budget.test.ts`, and enter the reported number, at
 * most six, or a reason for more. A page should load everything that it can: a viewer, casts with quotes,
 * mentions and a channel.
 *
 * For writes, the statements of the API count, but not those of the merge.
 */
export const budgets: Readonly<Record<string, Budget>> = {
  'GET cast': {
    statements: 4,
    buildRequest: ({ castHash }) => ({ identifier: castHash, type: 'hash', viewer_fid }),
  },
  'GET cast/conversation': {
    statements: 5,
    buildRequest: ({ castHash }) => ({ identifier: castHash, type: 'hash', reply_depth: 5, viewer_fid }),
  },
  'GET cast/conversation/summary': {
    statements: 5,
    buildRequest: ({ castHash }) => ({ identifier: castHash }),
  },
  'GET cast/embed/crawl': { statements: 3, buildRequest: ({ pageUrl }) => ({ url: pageUrl }) },
  'GET cast/metrics': { statements: 3, buildRequest: () => ({ q: 'garden' }) },
  'GET cast/quotes': {
    statements: 5,
    buildRequest: ({ castHash }) => ({ identifier: castHash, type: 'hash', viewer_fid }),
  },
  'GET cast/search': { statements: 6, buildRequest: () => ({ q: 'garden', viewer_fid }) },
  'GET casts': { statements: 3, buildRequest: ({ castHash }) => ({ casts: castHash, viewer_fid }) },
  'GET channel': { statements: 3, buildRequest: () => channel },
  'GET channel/bulk': { statements: 3, buildRequest: () => ({ ids: 'gardens', viewer_fid }) },
  'GET channel/followers': { statements: 5, buildRequest: () => channel },
  'GET channel/followers/relevant': { statements: 6, buildRequest: () => channel },
  'GET channel/list': { statements: 3, buildRequest: () => ({}) },
  'GET channel/search': { statements: 3, buildRequest: () => ({ q: 'gard' }) },
  'GET channel/trending': { statements: 4, buildRequest: () => ({}) },
  'GET channel/user': { statements: 3, buildRequest: () => ({ fid: 1 }) },
  'GET feed': { statements: 5, buildRequest: () => ({ fid: 2, viewer_fid }) },
  'GET feed/channels': { statements: 5, buildRequest: () => ({ channel_ids: 'gardens', viewer_fid }) },
  'GET feed/following': { statements: 5, buildRequest: () => ({ fid: 2, viewer_fid }) },
  'GET feed/for_you': { statements: 5, buildRequest: () => ({ fid: 2, viewer_fid }) },
  'GET feed/parent_urls': {
    statements: 5,
    buildRequest: ({ channelUrl }) => ({ parent_urls: channelUrl, viewer_fid }),
  },
  'GET feed/frames': { statements: 5, buildRequest: () => ({ viewer_fid }) },
  'GET feed/topic': { statements: 5, buildRequest: () => ({ slug: 'gardens', viewer_fid }) },
  'GET feed/trending': { statements: 5, buildRequest: () => ({ viewer_fid }) },
  'GET feed/user/casts': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid }) },
  'GET feed/user/popular': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid }) },
  'GET feed/user/replies_and_recasts': { statements: 5, buildRequest: () => ({ fid: 2, viewer_fid }) },
  'GET fname/availability': { statements: 1, buildRequest: () => ({ fname: 'alice' }) },
  'GET followers': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid }) },
  'GET followers/reciprocal': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid }) },
  'GET followers/relevant': { statements: 5, buildRequest: () => ({ target_fid: 4, viewer_fid: 1 }) },
  'GET following': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid }) },
  'GET following/suggested': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid: 1 }) },
  'GET reactions/cast': {
    statements: 4,
    buildRequest: ({ castHash }) => ({ hash: castHash, types: 'all', viewer_fid }),
  },
  'GET reactions/user': { statements: 5, buildRequest: () => ({ fid: 2, type: 'all', viewer_fid }) },
  'GET user/active': { statements: 5, buildRequest: () => ({ viewer_fid }) },
  'GET user/power': { statements: 5, buildRequest: () => ({ viewer_fid }) },
  'GET user/power_lite': { statements: 3, buildRequest: () => ({}) },
  'GET channel/users': {
    statements: 5,
    buildRequest: () => ({ ...channel, has_root_cast_authors: true, has_cast_likers: true }),
  },
  'GET cast/composer_actions/list': { statements: 0, buildRequest: () => ({ list: 'top' }), isEmpty: true },
  'GET feed/user/:fid/popular': { statements: 5, buildRequest: () => ({ fid: 1, viewer_fid }) },
  'GET feed/user/:fid/replies_and_recasts': { statements: 5, buildRequest: () => ({ fid: 2, viewer_fid }) },
  'GET storage/allocations': { statements: 2, buildRequest: () => ({ fid: 1 }) },
  'GET storage/usage': { statements: 3, buildRequest: () => ({ fid: 1 }) },
  'GET topic/trending': { statements: 3, buildRequest: () => ({}) },
  'GET user/best_friends': { statements: 2, buildRequest: () => ({ fid: 1 }) },
  'GET user/bulk': { statements: 2, buildRequest: () => ({ fids: '1,2,3', viewer_fid }) },
  'GET user/bulk-by-address': {
    statements: 3,
    buildRequest: ({ alice }) => ({ addresses: custodyOf(alice), viewer_fid }),
  },
  'GET user/by_location': {
    statements: 6,
    buildRequest: () => ({ latitude: 52.5, longitude: 13.4, viewer_fid }),
  },
  'GET user/by_username': { statements: 3, buildRequest: () => ({ username: 'alice', viewer_fid }) },
  'GET user/by_x_username': { statements: 3, buildRequest: () => ({ x_username: 'alice_x', viewer_fid }) },
  'GET user/channels': { statements: 3, buildRequest: () => ({ fid: 1 }) },
  'GET user/custody-address': {
    statements: 2,
    buildRequest: ({ alice }) => ({ custody_address: custodyOf(alice) }),
  },
  'GET user/interactions': { statements: 3, buildRequest: () => ({ fids: '1,2' }) },
  'GET user/search': { statements: 6, buildRequest: () => ({ q: 'ali', viewer_fid }) },
  'POST signer': { statements: 1, buildRequest: () => ({}) },
  'GET signer': { statements: 1, buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid }) },
  'POST signer/signed_key': {
    statements: 5,
    buildRequest: async (scene) => {
      const { signer_uuid, public_key } = (await scene.api.send('POST', 'signer', {})).json()
      return { signer_uuid, ...(await signKeyRequestBody(scene.app, public_key, scene.deadline)) }
    },
  },
  'GET signer/list': { statements: 2, buildRequest: signIn },
  'GET signer/developer_managed': {
    statements: 1,
    buildRequest: async (scene) => {
      const requestBody = await prepareKeyRequest(scene)
      await scene.api.send('POST', 'signer/developer_managed/signed_key', requestBody)
      return { public_key: requestBody.public_key }
    },
  },
  'POST signer/developer_managed/signed_key': { statements: 5, buildRequest: prepareKeyRequest },
  'GET auth_address/developer_managed': {
    statements: 1,
    buildRequest: async (scene) => {
      const requestBody = await prepareAddressRequest(scene)
      await scene.api.send('POST', 'auth_address/developer_managed/signed_key', requestBody)
      return { address: requestBody.address }
    },
  },
  'POST auth_address/developer_managed/signed_key': { statements: 5, buildRequest: prepareAddressRequest },
  'GET login/nonce': { statements: 1, buildRequest: () => ({}) },
  'GET login/authorize': {
    statements: 1,
    buildRequest: ({ api }) => ({ client_id: api.appId, response_type: 'code' }),
  },
  'POST cast': {
    // One of them is the author of the reply, whom a server has in its cache.
    statements: 6,
    buildRequest: ({ signerUuid, castHash }) => ({
      signer_uuid: signerUuid,
      text: 'hello @bob',
      parent: castHash,
      channel_id: 'gardens',
      embeds: [{ url: 'https://example.com/page' }],
      idem: 'only once',
    }),
  },
  'DELETE cast': {
    statements: 2,
    buildRequest: async ({ api, signerUuid }) => {
      const { cast } = (await api.send('POST', 'cast', { signer_uuid: signerUuid, text: 'too soon' })).json()
      return { signer_uuid: signerUuid, target_hash: cast.hash }
    },
  },
  'POST reaction': {
    statements: 3,
    buildRequest: ({ signerUuid, castHash }) => ({
      signer_uuid: signerUuid,
      reaction_type: 'like',
      target: castHash,
    }),
  },
  'DELETE reaction': {
    statements: 3,
    buildRequest: ({ carolSignerUuid, castHash }) => ({
      signer_uuid: carolSignerUuid,
      reaction_type: 'like',
      target: castHash,
    }),
  },
  'POST user/follow': {
    statements: 3,
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid, target_fids: [4] }),
  },
  'DELETE user/follow': {
    statements: 2,
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid, target_fids: [2] }),
  },
  'PATCH user': {
    statements: 2,
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid, bio: 'gardens', username: 'alice' }),
  },
  'POST user/verification': { statements: 3, buildRequest: claimAddress },
  'DELETE user/verification': {
    statements: 3,
    buildRequest: async (scene) => {
      const claim = await claimAddress(scene)
      await scene.api.send('POST', 'user/verification', claim)
      return claim
    },
  },
  'POST message': {
    statements: 0,
    buildRequest: ({ bob }) => ({ ...messageJson(toProtobuf(bob.cast('signed by hand', testNow - 10))) }),
  },
  'POST channel/follow': {
    statements: 6,
    buildRequest: async ({ api, signerUuid }) => {
      const requestBody = { signer_uuid: signerUuid, channel_id: 'gardens' }
      await api.send('DELETE', 'channel/follow', requestBody)
      return requestBody
    },
  },
  'DELETE channel/follow': {
    statements: 6,
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid, channel_id: 'gardens' }),
  },
  'POST action': {
    statements: 1,
    buildRequest: ({ signerUuid, pageUrl }) => ({
      signer_uuid: signerUuid,
      base_url: new URL('/', pageUrl).href,
      action: { type: 'greet' },
    }),
  },
  'POST ban': { statements: 3, buildRequest: ({ app }) => ({ fids: [app.fid] }) },
  'DELETE ban': {
    statements: 1,
    buildRequest: (scene) => prepareRequest(scene, 'ban', { fids: [scene.app.fid] }),
  },
  'GET ban/list': {
    statements: 2,
    buildRequest: async (scene) => (await prepareRequest(scene, 'ban', { fids: [scene.app.fid] })) && {},
  },
  'POST block': { statements: 3, buildRequest: blockBody },
  'DELETE block': {
    statements: 2,
    buildRequest: (scene) => prepareRequest(scene, 'block', blockBody(scene)),
  },
  'GET block/list': {
    statements: 2,
    buildRequest: async (scene) =>
      (await prepareRequest(scene, 'block', blockBody(scene))) && { blocker_fid: 1 },
  },
  'POST mute': { statements: 3, buildRequest: muteBody },
  'DELETE mute': { statements: 1, buildRequest: (scene) => prepareRequest(scene, 'mute', muteBody(scene)) },
  'GET mute/list': {
    statements: 2,
    buildRequest: async (scene) => (await prepareRequest(scene, 'mute', muteBody(scene))) && { fid: 1 },
  },
  'POST channel': {
    statements: 18,
    reason: 'made, followed, given its names and told of, under one lock: to be made fewer',
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid, channel_id: 'trees', name: 'Trees' }),
  },
  'PATCH channel': {
    statements: 10,
    reason: 'as `POST channel`',
    buildRequest: ({ signerUuid }) => ({
      signer_uuid: signerUuid,
      channel_id: 'gardens',
      name: 'Gardens and trees',
    }),
  },
  'GET fungible/owner/relevant': {
    statements: 7,
    reason: 'looks the tokens up before its turn among heavy requests, where it may wait for them, and in it',
    buildRequest: () => ({ contract_address: TOKEN, network: 'base', viewer_fid }),
  },
  'GET fungible/owner/relevant/bulk': {
    statements: 7,
    reason: 'looks the tokens up before its turn among heavy requests, where it may wait for them, and in it',
    buildRequest: () => ({ contract_addresses: TOKEN, network: 'base', viewer_fid }),
  },
  'GET fungible/trades': { statements: 6, buildRequest: () => ({ network: 'base', address: TOKEN }) },
  'GET fungible/trending': { statements: 3, buildRequest: () => ({ network: 'base' }) },
  'GET fungibles': {
    statements: 4,
    buildRequest: () => ({ fungibles: `eip155:8453/erc20:${TOKEN}`, viewer_fid }),
  },
  'GET user/balance': { statements: 2, buildRequest: () => ({ fid: 2, networks: 'base' }) },
  'GET notifications': {
    statements: 6,
    reason:
      'the page, what is unseen, whom the app bans, casts, their users, and what the viewer has to do with them',
    buildRequest: () => ({ fid: 1, viewer_fid: 1 }),
  },
  'GET notifications/channel': {
    statements: 6,
    reason: 'as `notifications`',
    buildRequest: () => ({ fid: 1, channel_ids: 'gardens' }),
  },
  'GET notifications/parent_url': {
    statements: 6,
    reason: 'as `notifications`',
    buildRequest: ({ channelUrl }) => ({ fid: 1, parent_urls: channelUrl }),
  },
  'POST notifications/seen': {
    statements: 2,
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid }),
  },
  'POST channel/member/invite': {
    statements: 5,
    buildRequest: ({ signerUuid }) => ({
      signer_uuid: signerUuid,
      channel_id: 'gardens',
      role: 'member',
      fid: 3,
    }),
  },
  'PUT channel/member/invite': {
    statements: 8,
    reason: 'six steps under the lock of the channel, the invalidation, and whether messages decide',
    buildRequest: async (scene) => {
      await invite(scene, 3, 'member')
      const { carolSignerUuid } = scene
      return { signer_uuid: carolSignerUuid, channel_id: 'gardens', role: 'member', accept: true }
    },
  },
  'GET channel/member/invite/list': {
    statements: 3,
    buildRequest: async (scene) => {
      await invite(scene, 4, 'moderator')
      return { channel_id: 'gardens' }
    },
  },
  'GET channel/member/list': { statements: 4, buildRequest: () => ({ channel_id: 'gardens' }) },
  'DELETE channel/member': {
    statements: 9,
    reason: 'seven steps under the lock of the channel, the invalidation, and whether messages decide',
    buildRequest: ({ signerUuid }) => ({
      signer_uuid: signerUuid,
      channel_id: 'gardens',
      role: 'member',
      fid: 2,
    }),
  },
  'POST channel/ban': {
    statements: 5,
    buildRequest: ({ signerUuid }) => ({ signer_uuid: signerUuid, channel_id: 'lilies', fid: 3 }),
  },
  'DELETE channel/ban': {
    statements: 5,
    buildRequest: async ({ api, signerUuid }) => {
      const requestBody = { signer_uuid: signerUuid, channel_id: 'lilies', fid: 3 }
      await api.send('POST', 'channel/ban', requestBody)
      return requestBody
    },
  },
  'POST channel/hide': {
    statements: 5,
    buildRequest: ({ signerUuid, castHash }) => ({
      signer_uuid: signerUuid,
      channel_id: 'lilies',
      cast_hash: castHash,
    }),
  },
  'DELETE channel/hide': {
    statements: 5,
    buildRequest: ({ signerUuid, castHash }) => ({
      signer_uuid: signerUuid,
      channel_id: 'lilies',
      cast_hash: castHash,
    }),
  },
  'GET user/memberships/list': { statements: 4, buildRequest: () => ({ fid: 4 }) },
  'GET webhook': { statements: 2, buildRequest: makeWebhook },
  'GET webhook/list': { statements: 2, buildRequest: async (scene) => (await makeWebhook(scene)) && {} },
  'POST webhook': {
    statements: 7,
    reason: 'four rows under one lock, and the webhook as it stands then',
    buildRequest: () => newWebhook,
  },
  'PUT webhook': {
    statements: 6,
    buildRequest: async (scene) => ({ ...(await makeWebhook(scene)), name: 'x', url: WEBHOOK_URL }),
  },
  'PATCH webhook': {
    statements: 8,
    reason:
      'the webhook and its secrets are read before the change, and after it, and workers are told of it',
    buildRequest: async (scene) => ({ ...(await makeWebhook(scene)), active: 'false' }),
  },
  'DELETE webhook': { statements: 6, buildRequest: makeWebhook },
  'POST webhook/secret/rotate': {
    statements: 9,
    reason:
      'the webhook and its secrets are read before the change, and after it, its lane waits for no key any more, and workers are told of it',
    buildRequest: async (scene) => ({ ...(await makeWebhook(scene)), grace_seconds: 60 }),
  },
  'GET webhook/deliveries': { statements: 3, buildRequest: testWebhook },
  'GET webhook/delivery': {
    statements: 2,
    buildRequest: async (scene) => {
      const sent = await scene.api.send('POST', 'webhook/test', await makeWebhook(scene))
      return { delivery_id: sent.json().delivery_id }
    },
  },
  'POST webhook/deliveries/redeliver': {
    statements: 4,
    buildRequest: async (scene) => ({ ...(await testWebhook(scene)), since: '2026-01-01T00:00:00Z' }),
  },
  'POST webhook/test': { statements: 5, buildRequest: makeWebhook },
  'POST webhook/preview': {
    statements: 20,
    reason: 'the log is read page by page; the samples take as many statements as any page of casts',
    buildRequest: () => ({ subscription: { 'cast.created': {} } }),
  },
  ...frameBudgets,
  'GET frame/notification_tokens': { statements: 1, buildRequest: grantToken },
  'POST frame/notifications': {
    statements: 8,
    reason:
      'the campaign, how its audience is to be planned, the audience, its batch taken and settled, the counts, and who was reached',
    buildRequest: sendOwnNotification,
  },
  'GET frame/notifications': { statements: 1, buildRequest: createOwnCampaign },
  'DELETE frame/notifications': { statements: 1, status: 409, buildRequest: createOwnCampaign },
  'POST frame/notifications/open': {
    statements: 1,
    buildRequest: async (scene) => ({ ...(await createOwnCampaign(scene)), fid: 1, app_fid: 9152 }),
  },
  'POST frame/notifications/preview': {
    statements: 3,
    buildRequest: async (scene) => {
      const { target_fids } = await sendOwnNotification(scene)
      return { target_fids }
    },
  },
  'GET app_host/user/event': { statements: 2, buildRequest: enableEvent },
  'POST app_host/user/event': {
    statements: 15,
    reason: 'the mini app is one of this server: its side of the event is taken here as well',
    buildRequest: async (scene) => ({ signer_uuid: scene.signerUuid, ...(await enableEvent(scene)) }),
  },
  'GET app_host/user/state': { statements: 2, buildRequest: enableMiniApp },
  'GET app_host/user/notifications': { statements: 1, buildRequest: notifyByMiniApp },
  'GET user/verifications': { statements: 1, buildRequest: () => ({ fid: 1 }) },
  'GET user/fid': { statements: 5, headers: payingHeaders, buildRequest: () => ({}) },
  'POST user': {
    statements: 64,
    reason:
      'each step is written down before the next; a purchase takes a dozen, under the lock of the registry',
    headers: payingHeaders,
    buildRequest: registerNewcomer,
  },
  'POST user/register': {
    statements: 42,
    reason: 'as `POST user`',
    headers: payingHeaders,
    buildRequest: async ({ app, deadline }) => ({
      ...(await directRequest(newAccount(), { app, keys: [testKey('of the developer')], deadline })),
    }),
  },
  'POST storage/buy': {
    statements: 16,
    reason: 'a purchase is recorded under the lock of the registry, and paid for, before it is merged',
    headers: payingHeaders,
    buildRequest: () => ({ fid: 1, units: 1 }),
  },
  ...onchainBudgets,
}
