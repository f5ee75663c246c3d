import type { Database } from '../../platform/db/connection.js'
import { loadCasts, loadSnapshotCasts } from '../load/cast-record.js'
import { loadNames } from '../load/mentioned-names.js'
import { loadUsers } from '../load/user-record.js'
import type { CastRow } from '../project/casts.js'
import { fidsIn, presentCast } from '../view/cast.js'
import { channelDehydrated } from '../view/channel-dehydrated.js'
import { castJson } from '../view/json.js'
import { channelMentions } from '../view/text-ranges.js'
import { toJsonPrefix, unique } from './cache-lookup.js'
import type { Hydrator } from './hydrator.js'

/**
 * Casts as JSON, by hash in hex without 0x, from what their messages say: also of casts that are gone, or that never
 * were here. Authors that are not registered cannot be shown, nor can their casts. Nothing is kept.
 */
export async function renderCastSnapshots(
  { db, hydrator }: { readonly db: Database; readonly hydrator: Hydrator },
  snapshots: readonly CastRow[],
): Promise<Map<string, string>> {
  const rendered = new Map<string, string>()
  if (snapshots.length === 0) return rendered
  const quoted = snapshots.flatMap(({ embeds }) =>
    embeds.flatMap((embed) => ('hash' in embed ? [embed.hash.slice(2)] : [])),
  )
  const [records, casts] = await Promise.all([loadSnapshotCasts(db, snapshots), loadCasts(db, quoted)])
  const fids = unique(records.flatMap((record) => fidsIn(record, casts)))
  const [users, views, names] = await Promise.all([
    loadUsers(db, fids),
    hydrator.users(records.flatMap(({ fid, mentions }) => [fid, ...mentions])),
    loadNames(db, {
      usernames: [],
      channelIds: unique(records.flatMap(({ text }) => channelMentions(text)).map(({ name }) => name)),
    }),
  ])
  for (const record of records) {
    const { body, mentionedFids, channel } = presentCast(record, { casts, users, names })
    const author = views.get(record.fid)
    if (author === undefined) continue
    const json = castJson(toJsonPrefix(body), {
      author,
      mentioned: mentionedFids.flatMap((fid) => views.get(fid) ?? []),
      channel: channel && JSON.stringify(channelDehydrated(channel)),
      viewerContext: null,
    })
    rendered.set(record.hash, json)
  }
  return rendered
}
