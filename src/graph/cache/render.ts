import type { ViewerRelations } from '../load/viewer.js'
import { castViewerContext } from '../view/cast.js'
import { channelUserContext } from '../view/channel-dehydrated.js'
import { castJson, channelDehydratedJson, channelJson, userJson } from '../view/json.js'
import { userViewerContext } from '../view/user.js'
import type { CachedCast } from './cast-cache.js'
import type { CachedChannel } from './channel-cache.js'
import type { CachedUser } from './user-cache.js'

/** Puts the viewer into views that are the same for everybody; null is nobody in particular. */
type RenderedViewer = ViewerRelations | null

/** A user as JSON. */
export function renderUser({ record, jsonPrefix }: CachedUser, viewer: RenderedViewer): string {
  return userJson(jsonPrefix, viewer && userViewerContext(record.fid, viewer))
}

/** A cast as JSON; null when its author is not among the users. */
export function renderCast(
  { record, jsonPrefix, authorFid, mentionedFids, channel }: CachedCast,
  users: ReadonlyMap<number, CachedUser>,
  viewer: RenderedViewer,
): string | null {
  const author = users.get(authorFid)
  if (!author) return null
  return castJson(jsonPrefix, {
    author: renderUser(author, viewer),
    mentioned: mentionedFids.flatMap((fid) => {
      const user = users.get(fid)
      return user ? [renderUser(user, viewer)] : []
    }),
    channel:
      channel && channelDehydratedJson(channel.jsonPrefix, viewer && channelUserContext(channel.id, viewer)),
    viewerContext: viewer && castViewerContext(record.hash, viewer),
  })
}

/** A channel as JSON. */
export function renderChannel(
  channel: CachedChannel,
  users: ReadonlyMap<number, CachedUser>,
  viewer: RenderedViewer,
): string {
  const lead = users.get(channel.leadFid)
  return channelJson(channel.jsonPrefix, {
    lead: lead ? renderUser(lead, viewer) : null,
    viewerContext: viewer && channelUserContext(channel.id, viewer),
  })
}
