import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { isUuid } from '../../platform/text/uuid.js'
import type { HostedFrame, HostedFramePage } from './schema/hosted-frame.js'

/** A frame that this server hosts. */
interface StoredFrame {
  readonly uuid: string
  readonly name: string
  readonly pages: readonly HostedFramePage[]
}

/** Most frames of an app. */
export const MAX_FRAMES = 100

/** Creates a frame of an app; null when it has too many. */
export async function createFrame(
  db: Database,
  appId: string,
  { name, pages }: Pick<StoredFrame, 'name' | 'pages'>,
): Promise<StoredFrame | null> {
  const [frame] = await db<StoredFrame[]>`
    insert into frames.hosted (app_id, name, pages)
    select ${appId}, ${name}, ${JSON.stringify(pages)}::text::jsonb
    where (select count(*) from frames.hosted where app_id = ${appId}) < ${MAX_FRAMES}
    returning uuid, name, pages`
  return frame ?? null
}

/** Replaces the pages of a frame, and its name if given. @throws PlazaError `not_found` */
export async function updateFrame(
  db: Database,
  appId: string,
  { uuid, name, pages }: Pick<StoredFrame, 'uuid' | 'pages'> & { readonly name?: string | undefined },
): Promise<StoredFrame> {
  const rows = await db<StoredFrame[]>`
    update frames.hosted
    set name = coalesce(${name ?? null}, name), pages = ${JSON.stringify(pages)}::text::jsonb
    where uuid = ${uuid} and app_id = ${appId}
    returning uuid, name, pages`
  return required(rows[0])
}

/** @throws PlazaError `not_found` */
export async function deleteFrame(db: Database, appId: string, uuid: string): Promise<void> {
  const rows = await db<{ uuid: string }[]>`
    delete from frames.hosted where uuid = ${uuid} and app_id = ${appId} returning uuid`
  required(rows[0])
}

/**
 * Finds a frame, of an app or of all. What is no UUID names none: it may be a part of a URL.
 *
 * @param property The parameter that names the frame.
 * @throws PlazaError `not_found`
 */
export async function findFrame(
  db: Database,
  uuid: string,
  appId: string | null,
  property: 'uuid' | 'url' = 'uuid',
): Promise<StoredFrame> {
  const rows = isUuid(uuid)
    ? await db<StoredFrame[]>`
        select uuid, name, pages from frames.hosted
        where uuid = ${uuid} and (${appId}::uuid is null or app_id = ${appId})`
    : []
  return required(rows[0], property)
}

/** Lists the frames of an app, oldest first. */
export async function listFrames(db: Database, appId: string): Promise<StoredFrame[]> {
  return await db<StoredFrame[]>`
    select uuid, name, pages from frames.hosted where app_id = ${appId} order by created_at, uuid`
}

function required<Row>(row: Row | undefined, property = 'uuid'): Row {
  if (row !== undefined) return row
  throw new PlazaError('not_found', 'there is no such frame', { property })
}

/** The URL of a frame, which casts embed. */
export function frameLink(publicUrl: string, uuid: string): string {
  return `${publicUrl}/f/frames/${uuid}`
}

/** A frame in the form of the API. */
export function presentFrame({ uuid, name, pages }: StoredFrame, publicUrl: string): HostedFrame {
  return { uuid, name, link: frameLink(publicUrl, uuid), pages: [...pages], valid: isComplete(pages) }
}

/** Whether every button has the target that its action needs. */
function isComplete(pages: readonly HostedFramePage[]): boolean {
  const uuids = new Set(pages.map(({ uuid }) => uuid))
  return pages
    .flatMap(({ buttons = [] }) => buttons)
    .every(({ action_type, next_page: next = {} }) => {
      if (action_type === 'mint') return next.mint_url !== undefined
      if (action_type === 'post') return next.uuid !== undefined && uuids.has(next.uuid)
      return next.redirect_url !== undefined
    })
}
