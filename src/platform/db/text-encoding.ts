import type { Database } from './connection.js'

/** How such a database is made. */
const CREATE = 'createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0'

/**
 * Says why a database finds less text than searches promise; null for a usable one. Users and casts are found whatever the case
 * of letters and with words of every script (docs/compatibility.md §10.1), which needs UTF-8, and a locale that knows more letters
 * than those of ASCII: `initdb` without `LANG` makes neither. One of Turkish or Azerbaijani makes `ı` of `I`, so that `IAN` does not
 * find `ian`. It cannot be changed later, as indexes hold what it has made.
 */
export async function findTextProblem(db: Pick<Database, 'unsafe'>): Promise<string | null> {
  const [encoding] = await db.unsafe<{ name: string }[]>(`select current_setting('server_encoding') as name`)
  if (encoding?.name !== 'UTF8')
    return `the encoding of this database is ${encoding?.name}, and Plaza needs UTF8: make another one (${CREATE})`
  // Before PostgreSQL 18, words of casts have the letters of the libc locale, also beside one of ICU.
  const [locale] = await db.unsafe<{ folds: boolean; foldsAscii: boolean }[]>(`
    select
      lower('É') = 'é' and ts_lexize('pg_catalog.simple', 'É') = '{é}' as folds,
      lower('I') = 'i' and ts_lexize('pg_catalog.simple', 'I') = '{i}' as "foldsAscii"`)
  if (!locale?.folds)
    return `the locale of this database has no letters but those of ASCII: make another one (${CREATE})`
  if (!locale.foldsAscii)
    return `the locale of this database does not make i of I, as in Turkish, and searches would miss words: make another one (${CREATE})`
  return null
}
