import type { Cast, CastDehydrated } from './schema/cast.js'

/** The dehydrated form of a cast whose whole form is loaded. */
export function shortCast({ hash, author, app }: Cast): CastDehydrated {
  return {
    object: 'cast_dehydrated',
    hash,
    author: {
      object: 'user_dehydrated',
      fid: author.fid,
      username: author.username,
      display_name: author.display_name ?? null,
      pfp_url: author.pfp_url ?? null,
      custody_address: author.custody_address,
      score: author.score ?? 0,
    },
    app: app ?? null,
  }
}
