import type { ViewerRelations } from '../load/viewer.js'
import { castViewerContext } from '../view/cast.js'
import { channelUserContext } from '../view/channel-dehydrated.js'
import { castJson, channelDehydratedJson, channelJson, userJson } from '../view/json.js'
import { userViewerContext } from '../view/user.js'
import type { ReadyCast } from './ready-casts.js'
import type { ReadyChannel } from './ready-channels.js'
import type { ReadyUser } from './ready-users.js'

/** Puts the viewer into views that are the same for everybody; null is nobody in particular. */
type Viewer = ViewerRelations | null

/** A user as JSON. */
export function renderUser({ record, open }: ReadyUser, viewer: Viewer): string {
  return userJson(open, viewer && userViewerContext(record.fid, viewer))
}

/** A cast as JSON; null when its author is not among the users. */
export function renderCast(
  { record, open, authorFid, mentionedFids, channel }: ReadyCast,
  users: ReadonlyMap<number, ReadyUser>,
  viewer: Viewer,
): string | null {
  const author = users.get(authorFid)
  if (!author) return null
  return castJson(open, {
    author: renderUser(author, viewer),
    mentioned: mentionedFids.flatMap((fid) => {
      const user = users.get(fid)
      return user ? [renderUser(user, viewer)] : []
    }),
    channel: channel && channelDehydratedJson(channel.open, viewer && channelUserContext(channel.id, viewer)),
    viewerContext: viewer && castViewerContext(record.hash, viewer),
  })
}

/** A channel as JSON. */
export function renderChannel(
  channel: ReadyChannel,
  users: ReadonlyMap<number, ReadyUser>,
  viewer: Viewer,
): string {
  const lead = users.get(channel.leadFid)
  return channelJson(channel.open, {
    lead: lead ? renderUser(lead, viewer) : null,
    viewerContext: viewer && channelUserContext(channel.id, viewer),
  })
}
