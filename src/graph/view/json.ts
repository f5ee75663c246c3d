import type { CastViewerContext } from './schema/cast.js'
import type { ChannelUserContext } from './schema/channel-dehydrated.js'
import type { UserViewerContext } from './schema/user.js'

/**
 * Views are put together as text: what is the same for everybody is made once and kept, and what depends on who
 * looks is put behind it. Making a page's JSON from objects costs four times what joining its pieces does.
 *
 * `open` is JSON of an object without its closing brace.
 */
export function userJson(open: string, viewerContext: UserViewerContext | null): string {
  return closed(open, viewerContext)
}

/** What a cast shows that is made elsewhere. */
export interface CastParts {
  readonly author: string
  readonly mentioned: readonly string[]
  readonly channel: string | null
  readonly viewerContext: CastViewerContext | null
}

/** A cast with its users, its channel and its viewer's context. */
export function castJson(open: string, { author, mentioned, channel, viewerContext }: CastParts): string {
  const members = `,"author":${author},"mentioned_profiles":[${mentioned.join(',')}],"channel":${channel}`
  return closed(open + members, viewerContext)
}

/** The short form of a channel with its viewer's context. */
export function channelDehydratedJson(open: string, viewerContext: ChannelUserContext | null): string {
  return closed(open, viewerContext)
}

/** A channel with its lead, in every place where the schema has it, and its viewer's context. */
export function channelJson(
  open: string,
  { lead, viewerContext }: { lead: string | null; viewerContext: ChannelUserContext | null },
): string {
  const leads = lead === null ? ',"hosts":[]' : `,"lead":${lead},"moderator":${lead},"hosts":[${lead}]`
  return closed(open + leads, viewerContext)
}

/** A list of ready pieces. */
export function jsonArray(pieces: readonly string[]): string {
  return `[${pieces.join(',')}]`
}

type ViewerContext = UserViewerContext | CastViewerContext | ChannelUserContext

/** Of the contexts there are few, which `views` hands out again and again: each is written once. */
const written = new WeakMap<ViewerContext, string>()

function closed(open: string, viewerContext: ViewerContext | null): string {
  if (!viewerContext) return `${open}}`
  let end = written.get(viewerContext)
  if (end === undefined) {
    end = `,"viewer_context":${JSON.stringify(viewerContext)}}`
    written.set(viewerContext, end)
  }
  return open + end
}
