import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { compileBody } from '../../api/parse-body.js'
import type { PublicApi } from '../../hub/sync/import/public-api.js'
import { PlazaError } from '../../platform/errors.js'
import type { SavedTargets } from '../../platform/outbound/saved-targets.js'
import { cutText } from '../../platform/text/cut-text.js'
import { checkFilters } from './matching/filters.js'
import { WebhookSubscriptionFilters, webhookEventKinds } from './schema/webhook-filters.js'
import type { KnownSecret } from './secrets.js'
import {
  createWebhook,
  listWebhooks,
  replaceWebhook,
  setWebhookActive,
  type Webhook,
  type WebhookStore,
} from './webhooks.js'

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** A webhook as the other service lists it: only what is copied, and as leniently as can be. */
const SourceWebhook = Type.Object({
  webhook_id: Type.String({ minLength: 1, maxLength: 200 }),
  title: maybe(Type.String()),
  target_url: Type.String(),
  active: maybe(Type.Boolean()),
  deleted_at: maybe(Type.String()),
  secrets: maybe(
    Type.Array(
      Type.Object({
        value: maybe(Type.String()),
        expires_at: maybe(Type.String()),
        deleted_at: maybe(Type.String()),
      }),
    ),
  ),
  subscription: maybe(Type.Object({ filters: maybe(Type.Record(Type.String(), Type.Unknown())) })),
})
type SourceWebhook = Static<typeof SourceWebhook>

const SourceList = Type.Object({
  webhooks: Type.Array(SourceWebhook),
  next: maybe(Type.Object({ cursor: maybe(Type.String()) })),
})

/** Outcome for a webhook of the other service. */
export interface CopiedWebhook {
  /** Id at the other service. */
  readonly sourceId: string
  readonly title: string
  readonly targetUrl: string
  /** Id here; null when it was not copied. */
  readonly webhookId: string | null
  readonly outcome: 'copied' | 'updated' | 'unchanged' | 'not copied'
  /** Whether the webhook that is here is active; otherwise, whether it would be. */
  readonly active: boolean
  /** `new`: the receiver must get the secret of this server. */
  readonly secret: 'copied' | 'new' | null
  /** Why it was not copied, or what was left out. */
  readonly problems: readonly string[]
}

/** Dependencies of the copy of webhooks. */
export interface CopyOptions {
  readonly store: WebhookStore
  readonly appId: string
  readonly api: PublicApi
  readonly savedTargets: SavedTargets
  /** Copies are off whatever the source is, until the copy is repeated without it. */
  readonly inactive: boolean
  readonly clock: () => number
}

const MAX_TITLE = 256
const MAX_SECRETS = 4
const MAX_SECRET_LENGTH = 512

/** Reads all webhooks of the key's app at the other service. The hosted list is one page; more are followed. */
async function readSourceWebhooks(api: PublicApi): Promise<readonly SourceWebhook[]> {
  const found: SourceWebhook[] = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const { webhooks, next } = await api.get('/webhook/list', { cursor }, SourceList)
    found.push(...webhooks)
    cursor = next?.cursor ?? undefined
    if (!cursor || seen.has(cursor)) return found
    seen.add(cursor)
  }
}

/**
 * Copies webhooks of another service into an app: name, URL, filters, state, and secrets where they are known. A repetition makes
 * the copies like their sources again, but leaves their secrets alone.
 */
export async function copyWebhooks(options: CopyOptions): Promise<CopiedWebhook[]> {
  const sources = await readSourceWebhooks(options.api)
  const existing = await readCopies(options)
  const copied: CopiedWebhook[] = []
  for (const source of sources) copied.push(await copyOne(options, source, existing.get(source.webhook_id)))
  return copied
}

/** The copies of an earlier run by the id of their source. */
async function readCopies({ store, appId }: CopyOptions): Promise<ReadonlyMap<string, Webhook>> {
  const rows = await store.db<{ id: string; copiedFrom: string }[]>`
    select id, copied_from as "copiedFrom" from webhooks.webhooks
    where app_id = ${appId} and copied_from is not null and deleted_at is null`
  const byId = new Map((await listWebhooks(store, appId)).map((webhook) => [webhook.id, webhook]))
  return new Map(rows.flatMap(({ id, copiedFrom }) => (byId.has(id) ? [[copiedFrom, byId.get(id)!]] : [])))
}

async function copyOne(
  options: CopyOptions,
  source: SourceWebhook,
  existing: Webhook | undefined,
): Promise<CopiedWebhook> {
  const { store, appId, savedTargets, clock } = options
  const title = cutText(source.title ?? '', MAX_TITLE) || source.webhook_id
  const active = !options.inactive && source.active !== false
  const base = { sourceId: source.webhook_id, title, targetUrl: source.target_url, active }
  const refused = (...problems: string[]) => refuseCopy(options, base, existing, problems)
  if (isPast(source.deleted_at, clock())) return refused('it was deleted there')
  const { filters, problems } = readFilters(source.subscription?.filters ?? undefined)
  if (filters === null) return refused(...problems)
  const refusal = await savedTargets.refusalOf(source.target_url)
  if (refusal !== null) return refused(`url is not an allowed target: ${refusal.detail}`)
  const details = { title, targetUrl: source.target_url, filters }
  try {
    if (existing !== undefined) {
      const outcome = (await makeEqual(options, existing, { ...details, active })) ? 'updated' : 'unchanged'
      return { ...base, webhookId: existing.id, outcome, secret: null, problems }
    }
    const secrets = validSecrets(source, clock())
    const made = await createWebhook(store, appId, {
      ...details,
      source: { id: source.webhook_id, active, secrets },
    })
    const secret = secrets.length > 0 ? 'copied' : 'new'
    return { ...base, webhookId: made.id, outcome: 'copied', secret, problems }
  } catch (error) {
    if (error instanceof PlazaError) return refused(error.message)
    throw error
  }
}

/** Reports a source that is not copied. A copy of an earlier run stays as it is, but is off if all copies are to be. */
async function refuseCopy(
  { store, appId, inactive }: CopyOptions,
  base: Pick<CopiedWebhook, 'sourceId' | 'title' | 'targetUrl' | 'active'>,
  existing: Webhook | undefined,
  problems: readonly string[],
): Promise<CopiedWebhook> {
  const refusal = { ...base, outcome: 'not copied', secret: null, problems } as const
  if (existing === undefined) return { ...refusal, webhookId: null }
  if (inactive && existing.active) await setWebhookActive(store, appId, existing.id, false)
  return { ...refusal, webhookId: existing.id, active: existing.active && !inactive }
}

/** Changes what differs from the source. Returns whether anything did. */
async function makeEqual(
  { store, appId }: CopyOptions,
  existing: Webhook,
  source: {
    title: string
    targetUrl: string
    filters: WebhookSubscriptionFilters | undefined
    active: boolean
  },
): Promise<boolean> {
  const { title, targetUrl, filters, active } = source
  const isEqual =
    existing.title === title &&
    existing.targetUrl === targetUrl &&
    sorted(existing.filters) === sorted(filters ?? null)
  if (!isEqual) {
    await replaceWebhook(store, appId, existing.id, { title, targetUrl, filters: filters ?? null })
  }
  if (existing.active !== active) await setWebhookActive(store, appId, existing.id, active)
  return !isEqual || existing.active !== active
}

/** JSON with its members in order: PostgreSQL sorts those of `jsonb`. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

const parse = compileBody(Type.Object({ subscription: WebhookSubscriptionFilters }))

/**
 * Reads filters by event type. A type that cannot be matched here as there is left out and reported: without one of its
 * members it would match more. Null: nothing is left of the subscription.
 */
function readFilters(source: Readonly<Record<string, unknown>> | undefined): {
  readonly filters: WebhookSubscriptionFilters | undefined | null
  readonly problems: readonly string[]
} {
  if (source === undefined) return { filters: undefined, problems: [] }
  const filters: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [kind, filter] of Object.entries(source)) {
    if (filter === null) continue
    if (!webhookEventKinds.some((each) => each === kind)) {
      problems.push(`${kind} is left out: this server has no such event`)
      continue
    }
    try {
      const { subscription } = parse({ subscription: { [kind]: withoutEmpty(filter) } }, { strict: true })
      checkFilters(subscription)
      Object.assign(filters, subscription)
    } catch (error) {
      if (!(error instanceof PlazaError)) throw error
      problems.push(`${kind} is left out: ${error.message}`)
    }
  }
  const isEmpty = Object.keys(filters).length === 0
  if (isEmpty && problems.length === 0) return { filters: undefined, problems }
  return { filters: isEmpty ? null : (filters as WebhookSubscriptionFilters), problems }
}

/** Leaves out members without a value, as services write those that were never set. */
function withoutEmpty(filter: unknown): unknown {
  if (typeof filter !== 'object' || filter === null) return filter
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null && value !== ''))
}

/**
 * The secrets that sign there now, the newest first, if the service shows them. They end as there, but for the one that ends last: a
 * webhook without a secret could sign nothing.
 */
function validSecrets({ secrets }: SourceWebhook, nowMs: number): KnownSecret[] {
  const valid = (secrets ?? [])
    .filter(({ expires_at, deleted_at }) => !isPast(expires_at, nowMs) && !isPast(deleted_at, nowMs))
    .flatMap(({ value, expires_at, deleted_at }) =>
      value && value.length <= MAX_SECRET_LENGTH
        ? [{ value, endMs: Math.min(endOf(expires_at), endOf(deleted_at)) }]
        : [],
    )
    .slice(0, MAX_SECRETS)
  const lastMs = Math.max(...valid.map(({ endMs }) => endMs))
  return valid.map(({ value, endMs }) => ({ value, expiresAt: endMs === lastMs ? null : new Date(endMs) }))
}

/** When a time is, in milliseconds; infinite for a missing one. */
function endOf(time: string | null | undefined): number {
  const atMs = Date.parse(time ?? '')
  return atMs > 0 ? atMs : Number.POSITIVE_INFINITY
}

/** Whether a time is there and over. Go writes a missing time as the year 1. */
function isPast(time: string | null | undefined, nowMs: number): boolean {
  return endOf(time) <= nowMs
}
