import type { RequestViewer } from '../../api/viewer.js'
import type { Cast } from '../../graph/view/schema/cast.js'
import type { User } from '../../graph/view/schema/user.js'
import type { OperationContext } from '../operation.js'
import { readCastReactors } from './queries.js'
import type { VersionOneCast } from './schema.js'
import { castOf } from './views.js'

type Context = Pick<OperationContext, 'db' | 'hydrator'>

/** Loads users of version 2, by fid. */
export async function loadUsers(
  { hydrator }: Context,
  fids: readonly number[],
  viewerFid: number | undefined,
): Promise<Map<number, User>> {
  const users = await hydrator.users(fids, viewerFid)
  return new Map([...users].map(([fid, user]) => [fid, user.parse<User>()]))
}

/** Loads casts of version 2, by hash without 0x. */
export async function loadCasts(
  { hydrator }: Context,
  hashes: readonly string[],
  viewerFid: number | undefined,
): Promise<Map<string, Cast>> {
  const casts = await hydrator.casts(hashes, viewerFid)
  return new Map([...casts].map(([hash, cast]) => [hash, cast.parse<Cast>()]))
}

/** Loads casts of version 1 in the order of their hashes, without those that are gone. */
export async function loadVersionOneCasts(
  context: Context,
  hashes: readonly string[],
  viewer: RequestViewer,
): Promise<VersionOneCast[]> {
  const [casts, reactors] = await Promise.all([
    loadCasts(context, hashes, viewer.viewerFid),
    readCastReactors(context.db, hashes, viewer),
  ])
  return hashes.flatMap((hash) => {
    const cast = casts.get(hash)
    return cast ? [castOf(cast, reactors.get(hash) ?? { likes: [], recasts: [] })] : []
  })
}
