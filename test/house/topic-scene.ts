import type { Database } from '../../src/platform/db/connection.js'

/** Stores a topic with all casts of the scene, as the job would. */
export async function storeTopic(db: Database): Promise<void> {
  await db`insert into topics.topics values ('gardens', 'Gardens', 1, 'other_hobbies', null, '{1,2}')`
  await db`insert into topics.casts select 'gardens', ts, hash, fid from social.casts`
}
