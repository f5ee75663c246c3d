import type { PendingQuery, Row } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { IdRegisterEventType, OnChainEvent, OnChainEventType } from '../../protocol/definitions.js'
import { MAX_PAGE_BYTES } from '../log/log-range.js'
import { fitsPage, type SizedPageOptions, splitSizedPage } from './page.js'

/** The position of an event on its chain. */
export interface ChainCursor {
  readonly blockNumber: number
  readonly logIndex: number
}

/** A page of onchain events; `last` is the last one when there are more. */
export interface ChainPage {
  /** Encoded protobuf OnChainEvents. */
  readonly events: readonly Buffer[]
  readonly last: ChainCursor | null
}

const AFTER_ALL: ChainCursor = { blockNumber: Number.MAX_SAFE_INTEGER, logIndex: 0 }
const BEFORE_ALL: ChainCursor = { blockNumber: -1, logIndex: 0 }

/** Most registrations and transfers of a fid that are searched; an account has a few. */
const MAX_ID_EVENTS = 1_000

/** Reads the onchain events of a user, of one type. */
export async function readChainEventsByFid(
  db: Database,
  fid: number,
  type: OnChainEventType,
  { limit, reverse, after, maxBytes = MAX_PAGE_BYTES }: SizedPageOptions<ChainCursor>,
): Promise<ChainPage> {
  const { blockNumber, logIndex } = after ?? (reverse ? AFTER_ALL : BEFORE_ALL)
  const direction = reverse ? db`desc` : db`asc`
  const order = db`block_number ${direction}, log_index ${direction}`
  const afterCursor = reverse ? db`<` : db`>`
  const rows = await db<(ChainCursor & { event: Buffer; fits: boolean })[]>`
    select
      block_number as "blockNumber", log_index as "logIndex", fits,
      case when fits then event end as event
    from (
      select
        block_number, log_index, event,
        ${fitsPage(db, { bytes: db`octet_length(event)`, order, maxBytes })} as fits
      from (
        select block_number, log_index, event
        from hub.onchain_events
        where fid = ${fid}::bigint
          and type = ${type}::smallint
          and (block_number, log_index) ${afterCursor} (${blockNumber}::bigint, ${logIndex}::integer)
        order by ${order}
        limit ${limit + 1}::bigint
      ) found
    ) page
    order by ${order}
  `
  const { page, last } = splitSizedPage(rows, limit)
  return { events: page.map((row) => row.event), last }
}

/** Reads the registration or transfer that gave an address its fid; null when it has none. */
export function readIdRegistration(db: Database, address: Buffer): Promise<Buffer | null> {
  return readRegistration(db, db`f.custody_address = ${address}::bytea`)
}

/** Reads the registration or transfer that gave a fid to its address; null when the fid has none. */
export function readIdRegistrationByFid(db: Database, fid: number): Promise<Buffer | null> {
  return readRegistration(db, db`f.fid = ${fid}::bigint`)
}

async function readRegistration(db: Database, isHolder: PendingQuery<Row[]>): Promise<Buffer | null> {
  const rows = await db<{ address: Buffer; event: Buffer }[]>`
    select f.custody_address as address, e.event
    from hub.fids f
    join hub.onchain_events e on e.fid = f.fid and e.type = ${OnChainEventType.EVENT_TYPE_ID_REGISTER}::smallint
    where ${isHolder}
    order by e.block_number desc, e.log_index desc
    limit ${MAX_ID_EVENTS}::bigint
  `
  return rows.find(({ address, event }) => assignsFidTo(event, address))?.event ?? null
}

function assignsFidTo(event: Buffer, address: Buffer): boolean {
  const body = OnChainEvent.decode(event).idRegisterEventBody
  return (
    body?.eventType !== IdRegisterEventType.CHANGE_RECOVERY && address.equals(body?.to ?? Buffer.alloc(0))
  )
}
