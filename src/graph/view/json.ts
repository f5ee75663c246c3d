import type { CastViewerContext } from './schema/cast.js'
import type { ChannelUserContext } from './schema/channel-dehydrated.js'
import type { UserViewerContext } from './schema/user.js'

type ViewerContext = UserViewerContext | CastViewerContext | ChannelUserContext

/** There are few viewer contexts, and views reuse the objects: each is serialized once. */
const contextJson = new WeakMap<ViewerContext, string>()

/**
 * Joins JSON of a user or a dehydrated channel with its viewer context.
 *
 * Views are joined as text: the part that is the same for every viewer is cached as a JSON prefix, an object
 * without its closing brace, and the rest is appended. To serialize a page from objects costs four times as
 * much.
 */
export function viewedJson(jsonPrefix: string, viewerContext: ViewerContext | null): string {
  if (!viewerContext) return `${jsonPrefix}}`
  let contextSuffix = contextJson.get(viewerContext)
  if (contextSuffix === undefined) {
    contextSuffix = `,"viewer_context":${JSON.stringify(viewerContext)}}`
    contextJson.set(viewerContext, contextSuffix)
  }
  return jsonPrefix + contextSuffix
}

/** The parts of a cast that are rendered separately. */
export interface CastParts {
  readonly author: string
  readonly mentioned: readonly string[]
  readonly channel: string | null
  readonly viewerContext: CastViewerContext | null
}

/** Joins a cast with its users, its channel and its viewer context. */
export function castJson(
  jsonPrefix: string,
  { author, mentioned, channel, viewerContext }: CastParts,
): string {
  const members = `,"author":${author},"mentioned_profiles":[${mentioned.join(',')}],"channel":${channel}`
  return viewedJson(jsonPrefix + members, viewerContext)
}

/** Joins a channel with its lead, in every member that the schema has for it, and its viewer context. */
export function channelJson(
  jsonPrefix: string,
  { lead, viewerContext }: { lead: string | null; viewerContext: ChannelUserContext | null },
): string {
  const leadMembers = lead === null ? ',"hosts":[]' : `,"lead":${lead},"moderator":${lead},"hosts":[${lead}]`
  return viewedJson(jsonPrefix + leadMembers, viewerContext)
}

/** Joins rendered values as a JSON array. */
export function jsonArray(pieces: readonly string[]): string {
  return `[${pieces.join(',')}]`
}
