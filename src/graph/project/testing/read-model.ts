import type { Database } from '../../../platform/db/connection.js'

/** All tables of the read model. */
export const readModelTables = [
  'users',
  'user_counts',
  'signer_apps',
  'casts',
  'cast_counts',
  'quotes',
  'url_embeds',
  'reactions',
  'url_reactions',
  'follows',
  'blocks',
  'verifications',
  'url_activity',
] as const

/** `reactions.merged_at` is when the row was written, which a replay does not know. */
const rowOf = (name: string) => (name === 'reactions' ? `jsonb_set(to_jsonb(t), '{merged_at}', 'null')` : 't')

/** All rows of the read model as text, in an order that does not depend on their history. */
export async function readModel(db: Database): Promise<Record<string, string[]>> {
  const parts = readModelTables.map(
    (name) => `select '${name}' as name, ${rowOf(name)}::text as row from social.${name} t`,
  )
  const rows = await db.unsafe<{ name: string; row: string }[]>(parts.join(' union all '))
  const model = Object.fromEntries(readModelTables.map((name): [string, string[]] => [name, []]))
  for (const { name, row } of rows) model[name]!.push(row)
  for (const tableRows of Object.values(model)) tableRows.sort()
  return model
}
