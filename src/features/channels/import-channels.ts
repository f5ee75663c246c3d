import type { PublicApi } from '../../hub/sync/import/public-api.js'
import {
  channelDocument,
  readPublicChannels,
  readPublicFollowers,
  readPublicMembers,
} from '../../hub/sync/import/public-channels.js'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import type { ListedUrls } from './channel-urls.js'
import { importChannel } from './channels.js'

/** Dependencies of the import of channels. */
export interface ChannelImportOptions {
  readonly db: Database
  readonly api: PublicApi
  readonly log: Log
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Ids or parent URLs of channels whose followers and members are imported, too. */
  readonly includeMembers: readonly string[]
}

/**
 * Takes over all channels of the public client, then who follows and belongs to some of them. What users and operators
 * have changed on this server stays.
 *
 * @returns how many were saved.
 * @throws Error when the API does not answer.
 */
export async function importChannels({
  db,
  api,
  log,
  clock,
  includeMembers,
}: ChannelImportOptions): Promise<number> {
  let saved = 0
  const nowUnix = Math.floor(clock() / 1000)
  const byId = new Map<string, Record<string, unknown>>()
  const problems = new Set<string>()
  const documents = (await readPublicChannels(api)).map(channelDocument)
  const listedUrls = listedUrlsOf(documents)
  for (const document of documents) {
    const { id, parent_url: parentUrl } = document
    const problem = await importChannel(db, document, nowUnix, { mode: 'merge', listedUrls })
    if (problem === null) {
      saved += 1
      if ([id, parentUrl].some((name) => includeMembers.includes(String(name))))
        byId.set(String(id), document)
    } else if (!problems.has(problem)) {
      problems.add(problem)
      log.warn({ channel: document.id, problem }, 'a channel of the public client was not imported')
    }
  }
  let failure: unknown = null
  for (const [id, channel] of byId) {
    try {
      const followers = await readPublicFollowers(api, id)
      const members = addRoles(await readPublicMembers(api, id), channel)
      const problem = await importChannel(db, { id, followers, members }, nowUnix, { mode: 'merge' })
      if (problem !== null) log.warn({ channel: id, problem }, 'the people of a channel were not imported')
    } catch (error) {
      failure ??= error
    }
  }
  // Those of the other channels are imported.
  if (failure !== null) throw failure
  return saved
}

function listedUrlsOf(documents: readonly Record<string, unknown>[]): ListedUrls {
  return new Map(
    documents.map(({ id, parent_url: url }) => [String(id), typeof url === 'string' ? url : null] as const),
  )
}

/** The list of members has everybody and does not say who moderates; the channel does, and who leads it. */
function addRoles(
  members: readonly { readonly fid: number; readonly member_since: number }[],
  { lead_fid: lead, moderator_fids: moderators }: Record<string, unknown>,
): object[] {
  const moderates = (fid: number) => Array.isArray(moderators) && moderators.includes(fid)
  return members
    .filter(({ fid }) => fid !== lead)
    .map((member) => ({ ...member, role: moderates(member.fid) ? 'moderator' : 'member' }))
}
