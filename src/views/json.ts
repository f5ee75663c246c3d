import type { CastViewerContext } from './schema/cast.js'
import type { ChannelDehydrated, ChannelUserContext } from './schema/channel-dehydrated.js'
import type { UserViewerContext } from './schema/user.js'

/**
 * Views are put together as text: what is the same for everybody is made once and kept, and what depends on who
 * looks is put behind it. Making a page's JSON from objects costs four times what joining its pieces does.
 *
 * `open` is JSON of an object without its closing brace.
 */
export function userJson(open: string, viewerContext: UserViewerContext | null): string {
  return viewerContext ? `${open},"viewer_context":${JSON.stringify(viewerContext)}}` : `${open}}`
}

/** What a cast shows that is made elsewhere. */
export interface CastParts {
  readonly author: string
  readonly mentioned: readonly string[]
  readonly channel: ChannelDehydrated | null
  readonly viewerContext: CastViewerContext | null
}

/** A cast with its users, its channel and its viewer's context. */
export function castJson(open: string, { author, mentioned, channel, viewerContext }: CastParts): string {
  return (
    `${open},"author":${author},"mentioned_profiles":[${mentioned.join(',')}],"channel":${JSON.stringify(channel)}` +
    (viewerContext ? `,"viewer_context":${JSON.stringify(viewerContext)}}` : '}')
  )
}

/** A channel with its lead, in every place where the schema has it, and its viewer's context. */
export function channelJson(
  open: string,
  { lead, viewerContext }: { lead: string | null; viewerContext: ChannelUserContext | null },
): string {
  const leads = lead === null ? ',"hosts":[]' : `,"lead":${lead},"moderator":${lead},"hosts":[${lead}]`
  return `${open}${leads}${viewerContext ? `,"viewer_context":${JSON.stringify(viewerContext)}` : ''}}`
}

/** A list of ready pieces. */
export function jsonArray(pieces: readonly string[]): string {
  return `[${pieces.join(',')}]`
}
