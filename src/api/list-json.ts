import type { Hydrator } from '../graph/cache/hydrator.js'
import { type Json, json, jsonArray, noJson } from '../graph/view/json.js'

/** Renders a reply that is a list, and `next` if it has pages. */
export function listJson(
  name: string,
  items: readonly Json[],
  next?: { readonly cursor: string | null },
): Json {
  return json`{${name}:${jsonArray(items)}${next ? json`,"next":${next}` : noJson}}`
}

/** Renders rows about users in their order, each by default as its user. Users without a view are left out. */
export async function userItems<Row extends { readonly fid: number }>(
  hydrator: Hydrator,
  rows: readonly Row[],
  viewerFid?: number,
  render: (user: Json, row: Row) => Json = (user) => user,
): Promise<Json[]> {
  const fids = rows.map(({ fid }) => fid)
  const users = await hydrator.users(fids, viewerFid)
  return rows.flatMap((row) => {
    const user = users.get(row.fid)
    return user === undefined ? [] : [render(user, row)]
  })
}
