import type { Database } from '../../platform/db/connection.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { MAX_PAGE_BYTES } from '../log/log-range.js'
import { NonceKind } from '../merge/keys/key-state.js'
import { fitsPage, type SizedPageOptions, splitSizedPage } from './page.js'

/** The position of a signer in a user's list: onchain signers first, each source in the order of keys. */
export interface SignerCursor {
  /** SignerSource: 1 for keys added onchain, 2 for keys added by a message. */
  readonly source: number
  readonly key: Buffer
}

/** A key that may sign for a user. */
export interface SignerRow extends SignerCursor {
  /** The encoded protobuf OnChainEvent that added it; null for keys added by a message. */
  readonly event: Buffer | null
  /** The encoded protobuf Message that added it; null for keys added onchain. */
  readonly grant: Buffer | null
  /** The app that requested the key. */
  readonly requestFid: number | null
  /** Farcaster seconds. */
  readonly lastUsedAt: number | null
}

export interface SignerPageOptions extends SizedPageOptions<SignerCursor> {
  /** Only this key. */
  readonly key?: Buffer | undefined
  /** Only keys added onchain. */
  readonly onChainOnly?: boolean
}

/** A page of keys. */
export interface SignerPage {
  readonly signers: readonly SignerRow[]
  /** The last signer of the page when there are more. */
  readonly last: SignerCursor | null
}

/** Reads the keys that a user has: those of the chain that are active, and those granted by messages, also expired ones. */
export async function readSigners(
  db: Database,
  fid: number,
  { limit, reverse, after, maxBytes = MAX_PAGE_BYTES, key, onChainOnly = false }: SignerPageOptions,
): Promise<SignerPage> {
  const direction = reverse ? db`desc` : db`asc`
  const order = db`source ${direction}, key ${direction}`
  const afterCursor = reverse ? db`<` : db`>`
  const bytes = db`octet_length(coalesce(event, "grant"))`
  const rows = await db<(SignerRow & { fits: boolean })[]>`
    select
      source, key, "requestFid", "lastUsedAt", fits,
      case when fits then event end as event, case when fits then "grant" end as "grant"
    from (
      select found.*, ${fitsPage(db, { bytes, order, maxBytes })} as fits
      from (
        select *
        from (
          select
            1 as source, key, event,
            null::bytea as "grant", null::bigint as "requestFid", null::bigint as "lastUsedAt"
          from hub.signers
          where fid = ${fid}::bigint and active and key_type = ${KEY_TYPE_ED25519}::integer
          union all
          select 2, g.key, null, m.message, g.request_fid, g.last_used_at
          from hub.gasless_keys g
          join hub.messages m on m.fid = g.fid and m.set = ${MessageSet.keys}::smallint and m.key = g.key
          where g.fid = ${fid}::bigint and not ${onChainOnly}::boolean
        ) signer
        where (${key ?? null}::bytea is null or key = ${key ?? null}::bytea)
          and (
            ${after === null}::boolean
            or (source, key) ${afterCursor} (${after?.source ?? 0}::integer, ${after?.key ?? null}::bytea)
          )
        order by ${order}
        limit ${limit + 1}::bigint
      ) found
    ) page
    order by ${order}
  `
  const { page: signers, last } = splitSizedPage(rows, limit)
  return { signers, last }
}

/** The counters that a user, or an app on their behalf, needs to add another key by a message. */
export interface KeyAllowance {
  /** Number of keys that messages have added. */
  readonly keys: number
  /** The highest nonce that the user's custody address has used. */
  readonly userNonce: number
  /** The highest nonce that each app has used, by fid. */
  readonly appNonces: ReadonlyMap<number, number>
}

/** Reads the counters of keys added by messages; an app without a nonce has 0. */
export async function readKeyAllowance(
  db: Database,
  fid: number,
  apps: readonly number[],
): Promise<KeyAllowance> {
  const rows = await db<{ kind: number; fid: number; value: number }[]>`
    select 0 as kind, ${fid}::bigint as fid, count(*) as value
    from hub.gasless_keys
    where fid = ${fid}::bigint
    union all
    select kind, fid, nonce
    from hub.key_nonces
    where (kind = ${NonceKind.user}::smallint and fid = ${fid}::bigint)
      or (kind = ${NonceKind.app}::smallint and fid = any (${[...apps]}::bigint[]))
  `
  const counterOf = (kind: number, of: number) =>
    rows.find((row) => row.kind === kind && row.fid === of)?.value ?? 0
  return {
    keys: counterOf(0, fid),
    userNonce: counterOf(NonceKind.user, fid),
    appNonces: new Map(apps.map((app) => [app, counterOf(NonceKind.app, app)])),
  }
}
