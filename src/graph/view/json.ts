import type { CastViewerContext } from './schema/cast.js'
import type { ChannelUserContext } from './schema/channel-dehydrated.js'
import type { UserViewerContext } from './schema/user.js'

/**
 * Views are put together as text: what is the same for everybody is made once and kept, and what depends on who
 * looks is put behind it. Making a page's JSON from objects costs four times what joining its pieces does.
 *
 * `open` is JSON of an object without its closing brace.
 */
export function userJson(jsonPrefix: string, viewerContext: UserViewerContext | null): string {
  return closeJson(jsonPrefix, viewerContext)
}

/** What a cast shows that is made elsewhere. */
export interface CastParts {
  readonly author: string
  readonly mentioned: readonly string[]
  readonly channel: string | null
  readonly viewerContext: CastViewerContext | null
}

/** A cast with its users, its channel and its viewer's context. */
export function castJson(
  jsonPrefix: string,
  { author, mentioned, channel, viewerContext }: CastParts,
): string {
  const members = `,"author":${author},"mentioned_profiles":[${mentioned.join(',')}],"channel":${channel}`
  return closeJson(jsonPrefix + members, viewerContext)
}

/** The short form of a channel with its viewer's context. */
export function channelDehydratedJson(jsonPrefix: string, viewerContext: ChannelUserContext | null): string {
  return closeJson(jsonPrefix, viewerContext)
}

/** A channel with its lead, in every place where the schema has it, and its viewer's context. */
export function channelJson(
  jsonPrefix: string,
  { lead, viewerContext }: { lead: string | null; viewerContext: ChannelUserContext | null },
): string {
  const leadMembers = lead === null ? ',"hosts":[]' : `,"lead":${lead},"moderator":${lead},"hosts":[${lead}]`
  return closeJson(jsonPrefix + leadMembers, viewerContext)
}

/** A list of ready pieces. */
export function jsonArray(pieces: readonly string[]): string {
  return `[${pieces.join(',')}]`
}

type ViewerContext = UserViewerContext | CastViewerContext | ChannelUserContext

/** Of the contexts there are few, which `views` hands out again and again: each is written once. */
const contextJson = new WeakMap<ViewerContext, string>()

function closeJson(jsonPrefix: string, viewerContext: ViewerContext | null): string {
  if (!viewerContext) return `${jsonPrefix}}`
  let contextSuffix = contextJson.get(viewerContext)
  if (contextSuffix === undefined) {
    contextSuffix = `,"viewer_context":${JSON.stringify(viewerContext)}}`
    contextJson.set(viewerContext, contextSuffix)
  }
  return jsonPrefix + contextSuffix
}
