import type { RequiredPermission } from '../src/features/signers/acting-signer.js'
import { type KeyHolder, signKeyRequestBody } from '../src/features/signers/testing/key-holder.js'
import { testNowUnix } from './network.js'

/** The request of an operation with a signer, and its reply. */
export interface ActingExample {
  /** The required permission; null for operations on the signer itself. */
  readonly permission: RequiredPermission | null
  /** A valid body without `signer_uuid`, which is added. */
  readonly body: (scene: ActingScene, signer: NamedSigner) => object | Promise<object>
  /** Replies that differ from those of publishing operations. */
  readonly answers?: Partial<ActingAnswers>
}

/** The status with `code` and `property` of the error; `OK` for a success. */
export type Answer = readonly [status: number, code: string, property?: string]

/** States of a signer, and the reply of an operation. */
export interface ActingAnswers {
  readonly approved: Answer
  readonly generated: Answer
  readonly revoked: Answer
  readonly notPermitted: Answer
}

/** Replies of operations that publish through a signer. */
export const actingAnswers: ActingAnswers = {
  approved: [200, 'OK'],
  generated: [403, 'SignerNotApproved', 'signer_uuid'],
  revoked: [403, 'SignerRevoked', 'signer_uuid'],
  notPermitted: [403, 'PermissionMissing', 'signer_uuid'],
}

/** The signer of a request. */
export interface NamedSigner {
  readonly id: string
  readonly publicKey: Buffer
}

/** Objects that bodies refer to. They exist for every user. */
export interface ActingScene {
  /** A cast of the acting user, with 0x. */
  readonly ownCastHash: string
  /** Another cast without references. */
  readonly unwantedCastHash: string
  /** A channel that the user leads, and one with an invite for the user. */
  readonly ownChannelId: string
  readonly invitingChannelId: string
  /** A channel of the protocol that the user owns. */
  readonly protocolChannelId: string
  /** Another user, who follows the user's channel. */
  readonly otherFid: number
  /** An address and its verification for the acting user. */
  readonly claim: { readonly address: string; readonly block_hash: string; readonly eth_signature: string }
  /** URL of another app that accepts actions, until the test ends. */
  readonly otherAppUrl: () => Promise<string>
  /** An account that may request keys. */
  readonly askingAccount: KeyHolder
  /** Domain of a mini app of this server. */
  readonly miniAppDomain: string
}

const likeExample = ({ ownCastHash }: ActingScene) => ({ reaction_type: 'like', target: ownCastHash })
const followExample = ({ otherFid }: ActingScene) => ({ target_fids: [otherFid] })
const claimExample = ({ claim }: ActingScene) => claim
const channelExample = ({ ownChannelId }: ActingScene) => ({ channel_id: ownChannelId })
const blockExample = ({ otherFid }: ActingScene) => ({ blocked_fid: otherFid })
const member = (scene: ActingScene) => ({ ...channelExample(scene), role: 'member', fid: scene.otherFid })

const banExample = ({ protocolChannelId, otherFid }: ActingScene) => ({
  channel_id: protocolChannelId,
  fid: otherFid,
})
const hideExample = ({ protocolChannelId, ownCastHash }: ActingScene) => ({
  channel_id: protocolChannelId,
  cast_hash: ownCastHash,
})

const frameExample = async ({ otherAppUrl }: ActingScene) => {
  const url = await otherAppUrl()
  return { action: { frames_url: url, post_url: url, button: { index: 1, action_type: 'post' } } }
}

/**
 * The request of every operation with a signer in its body. `acting-operations.test.ts` tests each with
 * invalid keys, signers and tokens, and fails for an operation without a line here. In the order of the
 * server's list, each succeeds.
 */
export const actingExamples: Readonly<Record<string, ActingExample>> = {
  'POST signer/signed_key': {
    permission: null,
    body: ({ askingAccount }, { publicKey }) =>
      signKeyRequestBody(askingAccount, `0x${publicKey.toString('hex')}`, testNowUnix + 86_400),
    answers: {
      approved: [409, 'Conflict', 'signer_uuid'],
      generated: [200, 'OK'],
      revoked: [409, 'Conflict', 'signer_uuid'],
      notPermitted: [409, 'Conflict', 'signer_uuid'],
    },
  },
  'POST cast': { permission: 'PUBLISH_CAST', body: () => ({ text: 'hello' }) },
  'DELETE cast': {
    permission: 'DELETE_CAST',
    body: ({ unwantedCastHash }) => ({ target_hash: unwantedCastHash }),
  },
  'POST reaction': { permission: 'PUBLISH_REACTION', body: likeExample },
  'DELETE reaction': { permission: 'DELETE_REACTION', body: likeExample },
  'POST user/follow': { permission: 'FOLLOW_USER', body: followExample },
  'DELETE user/follow': { permission: 'UNFOLLOW_USER', body: followExample },
  'PATCH user': { permission: 'UPDATE_PROFILE', body: () => ({ bio: 'gardens' }) },
  'POST user/verification': { permission: 'ADD_VERIFICATION', body: claimExample },
  'DELETE user/verification': { permission: 'REMOVE_VERIFICATION', body: claimExample },
  'POST channel/follow': { permission: 'FOLLOW_CHANNEL', body: channelExample },
  'DELETE channel/follow': { permission: 'UNFOLLOW_CHANNEL', body: channelExample },
  'POST action': {
    permission: 'WRITE_FRAME_ACTION',
    body: async ({ otherAppUrl }) => ({ base_url: await otherAppUrl(), action: { type: 'garden.water' } }),
  },
  'POST frame/action': { permission: 'WRITE_FRAME_ACTION', body: frameExample },
  'POST block': { permission: 'WRITE_ALL', body: blockExample },
  'DELETE block': { permission: 'WRITE_ALL', body: blockExample },
  'POST notifications/seen': { permission: 'any write', body: () => ({ type: 'likes' }) },
  'POST channel': { permission: 'WRITE_ALL', body: () => ({ channel_id: 'tulips' }) },
  'PATCH channel': {
    permission: 'WRITE_ALL',
    body: (scene) => ({ ...channelExample(scene), description: 'what grows' }),
  },
  'POST channel/member/invite': { permission: 'WRITE_ALL', body: member },
  'PUT channel/member/invite': {
    permission: 'WRITE_ALL',
    body: ({ invitingChannelId }) => ({ channel_id: invitingChannelId, role: 'member', accept: true }),
  },
  'DELETE channel/member': { permission: 'WRITE_ALL', body: member },
  'POST channel/ban': { permission: 'WRITE_ALL', body: banExample },
  'DELETE channel/ban': { permission: 'WRITE_ALL', body: banExample },
  'POST channel/hide': { permission: 'WRITE_ALL', body: hideExample },
  'DELETE channel/hide': { permission: 'WRITE_ALL', body: hideExample },
  'POST app_host/user/event': {
    permission: 'WRITE_FRAME_ACTION',
    body: ({ miniAppDomain }) => ({ app_domain: miniAppDomain, fid: 1, event: 'notifications_disabled' }),
  },
}
