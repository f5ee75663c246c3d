// Prints the address of a PostgreSQL on this machine that lets us make databases; nothing if there is none.
import postgres from '#postgres'

const candidates = [
  'postgres://postgres@127.0.0.1:5432/postgres',
  'postgres://root@127.0.0.1:5432/postgres',
  'postgres://root@127.0.0.1:5432/root',
]

for (const url of candidates) {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} })
  try {
    const [role] =
      await sql`select rolcreatedb or rolsuper as able from pg_roles where rolname = current_user`
    if (role?.able) {
      process.stdout.write(url)
      break
    }
  } catch {
    // Not there, or not for us.
  } finally {
    await sql.end({ timeout: 1 })
  }
}
