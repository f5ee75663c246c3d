import type { Database } from '../../platform/db/connection.js'
import { loadCasts, loadGivenCasts } from '../load/cast-record.js'
import { loadNames } from '../load/names.js'
import { loadUsers } from '../load/user-record.js'
import type { CastRow } from '../project/casts.js'
import { fidsIn, presentCast } from '../view/cast.js'
import { channelDehydrated } from '../view/channel-dehydrated.js'
import { castJson } from '../view/json.js'
import { spokenChannels } from '../view/text-ranges.js'
import type { Hydrator } from './hydrator.js'
import { openJson, unique } from './ready.js'

/**
 * Casts as JSON, by hash in hex without 0x, from what their messages say: also of casts that are gone, or that never
 * were here. Authors that are not registered cannot be shown, nor can their casts. Nothing is kept.
 */
export async function renderGivenCasts(
  { db, hydrator }: { readonly db: Database; readonly hydrator: Hydrator },
  given: readonly CastRow[],
): Promise<Map<string, string>> {
  const rendered = new Map<string, string>()
  if (given.length === 0) return rendered
  const quoted = given.flatMap(({ embeds }) =>
    embeds.flatMap((embed) => ('hash' in embed ? [embed.hash.slice(2)] : [])),
  )
  const [records, casts] = await Promise.all([loadGivenCasts(db, given), loadCasts(db, quoted)])
  const fids = unique(records.flatMap((record) => fidsIn(record, casts)))
  const [users, views, names] = await Promise.all([
    loadUsers(db, fids),
    hydrator.users(records.flatMap(({ fid, mentions }) => [fid, ...mentions])),
    loadNames(db, {
      usernames: [],
      channelIds: unique(records.flatMap(({ text }) => spokenChannels(text)).map(({ name }) => name)),
    }),
  ])
  for (const record of records) {
    const { body, mentionedFids, channel } = presentCast(record, { casts, users, names })
    const author = views.get(record.fid)
    if (author === undefined) continue
    const json = castJson(openJson(body), {
      author,
      mentioned: mentionedFids.flatMap((fid) => views.get(fid) ?? []),
      channel: channel && JSON.stringify(channelDehydrated(channel)),
      viewerContext: null,
    })
    rendered.set(record.hash, json)
  }
  return rendered
}
