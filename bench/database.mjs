import pg from 'pg'

/**
 * Runs one text of SQL on a connection of its own.
 *
 * @param {string} url
 * @param {string} sql
 * @returns {Promise<any[]>}
 */
export async function query(url, sql) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(sql)
    return rows
  } finally {
    await client.end()
  }
}
