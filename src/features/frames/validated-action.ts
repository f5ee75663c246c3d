import type { Static } from '@sinclair/typebox'
import { dateTimeOf } from '../../graph/view/formats.js'
import type { Json } from '../../graph/view/json.js'
import type { Cast } from '../../graph/view/schema/cast.js'
import type { User, UserViewerContext } from '../../graph/view/schema/user.js'
import type { Database } from '../../platform/db/connection.js'
import { hexOf } from '../../protocol/bytes.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import { omitUndefined } from '../embeds/page-text.js'
import type { OperationContext } from '../operation.js'
import type { FrameAction } from './frame-message.js'
import type { ValidatedFrameAction } from './schema/validated-frame.js'

/** Context of a validated action besides its signed content. */
export interface ActionContexts {
  /** Whether the user liked and recast the cast. */
  readonly castReactions: boolean
  /** The relation between the user and the author of the cast. */
  readonly follows: boolean
  /** The app whose key signed. */
  readonly signer: boolean
  /** Whether the user follows the channel of the cast. */
  readonly channelFollow: boolean
}

/** Describes a valid frame action with its user and its cast. */
export async function describeFrameAction(
  { db, hydrator }: Pick<OperationContext, 'db' | 'hydrator'>,
  action: FrameAction,
  contexts: ActionContexts,
): Promise<Static<typeof ValidatedFrameAction>> {
  const { fid, transactionId, address, inputText } = action
  const clientFid = contexts.signer ? await findClientOfKey(db, action) : null
  const authorFid = contexts.follows ? (action.cast?.fid ?? null) : null
  const shown = await hydrator.castsAndUsers(
    action.cast === null ? [] : [action.cast.hash],
    [fid, clientFid, authorFid].filter((shownFid) => shownFid !== null),
    fid,
  )
  const cast = parse<Cast>(shown.casts.get(action.cast?.hash ?? ''))
  const isOfAuthor = cast !== undefined && cast.author.fid === action.cast?.fid
  // A cast that is not stored has the author whom its id names. One of another author is not this cast.
  const author = cast === undefined || isOfAuthor ? parse<User>(shown.users.get(authorFid ?? 0)) : undefined
  const client = parse<User>(shown.users.get(clientFid ?? 0))
  return {
    object: 'validated_frame_action',
    url: action.url,
    interactor: {
      ...withoutViewer(parse<User>(shown.users.get(fid))!),
      ...(author ? { viewer_context: relationTo(author) } : {}),
    },
    tapped_button: { index: action.buttonIndex },
    state: { serialized: action.state },
    timestamp: dateTimeOf(unixSecondsFromFarcasterSeconds(action.timestamp)),
    ...omitUndefined({
      input: inputText === '' ? undefined : { text: inputText },
      cast: isOfAuthor ? castWith(cast, contexts) : undefined,
      signer: contexts.signer ? omitUndefined({ client: client && withoutViewer(client) }) : undefined,
      transaction: transactionId.length === 0 ? undefined : { hash: hexOf(transactionId) },
      address: address.length === 0 ? undefined : hexOf(address),
    }),
  }
}

/**
 * The interactor's side of the relation. The author was rendered for it, so `following` is whether it follows the author,
 * which is what clients read.
 */
function relationTo(author: User): UserViewerContext {
  return author.viewer_context!
}

/** The cast with the contexts of the request only. */
function castWith(cast: Cast, { castReactions, channelFollow }: ActionContexts): Cast {
  const { viewer_context, channel, ...rest } = cast
  return {
    ...rest,
    channel: channel && !channelFollow ? withoutViewer(channel) : channel,
    author: withoutViewer(cast.author),
    mentioned_profiles: cast.mentioned_profiles.map(withoutViewer),
    ...(castReactions && viewer_context ? { viewer_context } : {}),
  }
}

function withoutViewer<Viewed extends { viewer_context?: unknown }>(viewed: Viewed): Viewed {
  const { viewer_context: _, ...rest } = viewed
  return rest as Viewed
}

function parse<Value>(json: Json | undefined): Value | undefined {
  return json?.parse()
}

/** Finds the app that requested the key of a message. */
async function findClientOfKey(db: Database, { fid, message }: FrameAction): Promise<number | null> {
  const [found] = await db<{ appFid: number }[]>`
    select app_fid as "appFid" from social.signer_apps where fid = ${fid}::bigint and key = ${message.signer}
    union all
    select request_fid from hub.gasless_keys where fid = ${fid}::bigint and key = ${message.signer}
    limit 1`
  return found?.appFid ?? null
}
