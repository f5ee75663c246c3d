import type { Hydrator } from '../graph/cache/hydrator.js'
import { jsonArray } from '../graph/view/json.js'

/** Renders a reply that is a list, and `next` if it has pages. */
export function listJson(
  name: string,
  items: readonly string[],
  next?: { readonly cursor: string | null },
): string {
  return `{"${name}":${jsonArray(items)}${next ? `,"next":${JSON.stringify(next)}` : ''}}`
}

/** Renders rows about users in their order, each by default as its user. Users without a view are left out. */
export async function userItems<Row extends { readonly fid: number }>(
  hydrator: Hydrator,
  rows: readonly Row[],
  viewerFid?: number,
  render: (user: string, row: Row) => string = (user) => user,
): Promise<string[]> {
  const fids = rows.map(({ fid }) => fid)
  const users = await hydrator.users(fids, viewerFid)
  return rows.flatMap((row) => {
    const user = users.get(row.fid)
    return user === undefined ? [] : [render(user, row)]
  })
}
