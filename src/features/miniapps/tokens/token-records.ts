import { isRefusal } from '../../../platform/errors.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { checkTarget, type TargetPolicy } from '../../../platform/outbound/target.js'
import { parseStorableTime } from '../../../platform/text/parse-iso-time.js'
import { readGrant } from '../events/event-receiver.js'
import type { ImportedToken } from './import-tokens.js'
import { UNNAMED_CLIENT } from './token-holder.js'

/** Dependencies of reads of token records. */
export interface RecordOptions {
  /** Policy for notification URLs. */
  readonly policy: TargetPolicy
  /** The client of records that name none, by the host of their URL. */
  readonly clients: ReadonlyMap<string, number>
}

/** A record of a file or a reply: members by name. */
export type TokenRecord = Readonly<Record<string, unknown>>

const clientNames = ['client_fid', 'clientFid', 'app_fid', 'appFid']
const states = ['enabled', 'disabled', 'invalid'] as const

/**
 * Reads a token from a record of the hosted service's list, of this server's list, or of a file with the same names; names of
 * other exports are `app_fid`, `clientFid` and `notificationUrl`. Returns the problem of an invalid one.
 */
export function readTokenRecord(record: TokenRecord, options: RecordOptions): ImportedToken | string {
  const fid = fidOf(record.fid)
  if (fid === null) return 'fid must be a whole number of 1 or more'
  const grant = readGrant(
    { token: record.token, url: record.url ?? record.notification_url ?? record.notificationUrl },
    options.policy,
  )
  if (isRefusal(grant)) return grant.message.replaceAll('notificationDetails.', '')
  const named = clientNames.map((name) => record[name]).find((value) => value != null && value !== '')
  const clientFid = named === undefined ? clientOf(grant.url, options) : clientFidOf(named)
  if (clientFid === null) return 'client_fid must be a whole number'
  const status = record.status ?? record.state
  const state = status == null || status === '' ? 'enabled' : states.find((each) => each === status)
  if (state === undefined) return `status must be one of ${states.join(', ')}`
  const [createdAt, updatedAt] = [timeOf(record.created_at), timeOf(record.updated_at)]
  if (createdAt === undefined || updatedAt === undefined) return 'created_at and updated_at must be times'
  return { fid, clientFid, ...grant, state, createdAt, updatedAt }
}

/** Parses `HOST=FID`, the client of a host, or returns null. */
export function readClientOfHost(text: string): readonly [host: string, fid: number] | null {
  const [, host, fid] = /^([^=\s]+)=(\d{1,15})$/.exec(text) ?? []
  if (host === undefined) return null
  const target = checkTarget(`https://${host}/`, { allowHttp: true, allowLoopback: true })
  return isNetFailure(target) ? null : [target.host, Number(fid)]
}

function clientOf(url: string, { clients }: RecordOptions): number {
  return clients.get(new URL(url).host) ?? UNNAMED_CLIENT
}

function fidOf(value: unknown): number | null {
  const fid = clientFidOf(value)
  return fid === 0 ? null : fid
}

function clientFidOf(value: unknown): number | null {
  const fid = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof fid === 'number' && Number.isSafeInteger(fid) && fid >= 0 ? fid : null
}

/** Null without a time, undefined for what is none. */
function timeOf(value: unknown): Date | null | undefined {
  if (value == null || value === '') return null
  return typeof value === 'string' ? (parseStorableTime(value) ?? undefined) : undefined
}
