import type { RequiredPermission } from '../src/features/signers/permissions.js'
import { type KeyHolder, signKeyRequestBody } from '../src/features/signers/testing/key-holder.js'
import { testNowUnix } from './network.js'

/** How an operation that names a signer is asked, and how it answers. */
export interface ActingExample {
  /** What the signer must be allowed to do; null for what is done to a signer and not through it. */
  readonly permission: RequiredPermission | null
  /** A body that is right but for `signer_uuid`, which is put in. */
  readonly body: (scene: ActingScene, signer: NamedSigner) => object | Promise<object>
  /** Answers that are not those of operations that act. */
  readonly answers?: Partial<ActingAnswers>
}

/** The status, and `code` and `property` of the error; `OK` for a success. */
export type Answer = readonly [status: number, code: string, property?: string]

/** What a signer of the app that asks may be like, and how the operation answers then. */
export interface ActingAnswers {
  readonly approved: Answer
  readonly generated: Answer
  readonly revoked: Answer
  readonly notPermitted: Answer
}

/** Of operations that act through a signer. */
export const actingAnswers: ActingAnswers = {
  approved: [200, 'OK'],
  generated: [403, 'SignerNotApproved', 'signer_uuid'],
  revoked: [403, 'SignerRevoked', 'signer_uuid'],
  notPermitted: [403, 'PermissionMissing', 'signer_uuid'],
}

/** The signer that a request names. */
export interface NamedSigner {
  readonly id: string
  readonly publicKey: Buffer
}

/** What bodies may speak of: there is all of it, whoever acts. */
export interface ActingScene {
  /** A cast of the user who acts, with 0x. */
  readonly ownCastHash: string
  /** Another one, which nothing else speaks of. */
  readonly unwantedCastHash: string
  /** A channel that the user leads, and one to which they are invited. */
  readonly ownChannelId: string
  readonly invitingChannelId: string
  /** Another user, who follows the user’s channel. */
  readonly otherFid: number
  /** An address, and its agreement to belong to the user who acts. */
  readonly claim: { readonly address: string; readonly block_hash: string; readonly eth_signature: string }
  /** Where another app takes actions, until the test ends. */
  readonly otherAppUrl: () => Promise<string>
  /** An account that may ask for keys. */
  readonly askingAccount: KeyHolder
  /** Where a mini app of this server lives. */
  readonly miniAppDomain: string
}

const likeExample = ({ ownCastHash }: ActingScene) => ({ reaction_type: 'like', target: ownCastHash })
const followExample = ({ otherFid }: ActingScene) => ({ target_fids: [otherFid] })
const claimExample = ({ claim }: ActingScene) => claim
const channelExample = ({ ownChannelId }: ActingScene) => ({ channel_id: ownChannelId })
const blockExample = ({ otherFid }: ActingScene) => ({ blocked_fid: otherFid })
const member = (scene: ActingScene) => ({ ...channelExample(scene), role: 'member', fid: scene.otherFid })

/**
 * For every operation whose body names a signer, how to ask it. `acting-operations.test.ts` holds each against keys,
 * signers and tokens that must not be let in, and fails for an operation that has no line here. In the order in which
 * the server lists them each succeeds.
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
  'POST block': { permission: 'any write', body: blockExample },
  'DELETE block': { permission: 'any write', body: blockExample },
  'POST notifications/seen': { permission: 'any write', body: () => ({ type: 'likes' }) },
  'POST channel': { permission: 'any write', body: () => ({ channel_id: 'tulips' }) },
  'PATCH channel': {
    permission: 'any write',
    body: (scene) => ({ ...channelExample(scene), description: 'what grows' }),
  },
  'POST channel/member/invite': { permission: 'any write', body: member },
  'PUT channel/member/invite': {
    permission: 'any write',
    body: ({ invitingChannelId }) => ({ channel_id: invitingChannelId, role: 'member', accept: true }),
  },
  'DELETE channel/member': { permission: 'any write', body: member },
  'POST app_host/user/event': {
    permission: 'any write',
    body: ({ miniAppDomain }) => ({ app_domain: miniAppDomain, fid: 1, event: 'notifications_disabled' }),
  },
}
