import { Type } from '@sinclair/typebox'
import { compileBody } from '../api/parse-body.js'
import { webhookSettings } from '../app/modules/webhooks.js'
import { openVault } from '../app/open-vault.js'
import type { DeliveryOutcome } from '../features/webhooks/delivery/outcome.js'
import { type Listener, type ListenerOptions, startListener } from '../features/webhooks/listener.js'
import { checkFilters } from '../features/webhooks/matching/filters.js'
import { watchEvents } from '../features/webhooks/preview.js'
import { WebhookSubscriptionFilters, webhookEventKinds } from '../features/webhooks/schema/webhook-filters.js'
import { Hydrator } from '../graph/cache/hydrator.js'
import { createEventTail } from '../hub/log/tail.js'
import { connect, type Database } from '../platform/db/connection.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import { PlazaError } from '../platform/errors.js'
import { locationOf } from '../platform/geo/cities.js'
import { createLogger, fileOutput } from '../platform/log/logger.js'
import { createNetClient } from '../platform/outbound/net-client.js'
import { version } from '../platform/process/version.js'
import { chosenApp } from './chosen-app.js'
import { type CommandContext, UsageError } from './context.js'
import { stopSignal } from './long-command.js'
import { withDatabase, withDatabaseUrl } from './with-database.js'

const parseBody = compileBody(Type.Object({ subscription: WebhookSubscriptionFilters }))

/** The options of `plaza webhook listen`. */
export interface ListenOptions {
  readonly forwardTo?: string
  readonly app?: string
  readonly events?: string[]
  readonly filter?: string
}

/** One connection reads the log, one waits for its end. */
const PRINT_POOL_SIZE = 2
/** Claims, and loads of what events are about. */
const FORWARD_POOL_SIZE = 3
const STDERR = 2

/** Prints events until the command is stopped, or forwards them to an address of this machine. */
export async function listenForEvents(context: CommandContext, options: ListenOptions): Promise<void> {
  const filter = options.filter === undefined ? undefined : readFilter(options.filter)
  const filters = subscriptionOf(options, filter)
  const signal = stopSignal(context)
  if (options.forwardTo !== undefined) {
    await forward(context, { ...options, forwardTo: options.forwardTo, filters, signal })
    return
  }
  if (options.app !== undefined)
    throw new UsageError('--app is for --forward-to: events are those of all apps')
  await withDatabase(context, 'webhook', (db) => printEvents(context, db, filters, signal), PRINT_POOL_SIZE)
}

/** Reads views for each event without a cache, because this process gets no cache invalidations. */
function uncachedHydrator(db: Database): Hydrator {
  return new Hydrator({ db, clock: Date.now, locationOf, maxViews: 0 })
}

async function printEvents(
  context: CommandContext,
  db: Database,
  filters: WebhookSubscriptionFilters,
  signal: AbortSignal,
): Promise<void> {
  const tail = createEventTail(db)
  const hydrator = uncachedHydrator(db)
  try {
    for await (const body of watchEvents({ db, hydrator, filters, tail, clock: Date.now }, signal)) {
      context.print(body)
    }
  } finally {
    await tail.close()
  }
}

interface Forwarding extends ListenOptions {
  readonly forwardTo: string
  readonly filters: WebhookSubscriptionFilters
  readonly signal: AbortSignal
}

/** A webhook of this command may target this machine, whatever the server allows: this process sends its deliveries. */
const targetPolicy = { allowHttp: true, allowLoopback: true }

async function forward(context: CommandContext, forwarding: Forwarding): Promise<void> {
  const { app, forwardTo, filters, signal } = forwarding
  await withDatabaseUrl(context, 'webhook', async (url, config) => {
    const db = connect(url, { poolSize: FORWARD_POOL_SIZE, applicationName: 'plaza webhook' })
    const lockDb = connect(url, { poolSize: 1, applicationName: 'plaza webhook', keepsSessions: true })
    const net = createNetClient({ policy: targetPolicy, userAgent: `plaza/${version} (webhooks)` })
    try {
      const { id: appId, name } = await chosenApp(db, app)
      const vault = await openVault(config)
      const listener = await startWith({
        db,
        lockDb,
        vault,
        net,
        hydrator: uncachedHydrator(db),
        clock: Date.now,
        random: Math.random,
        log: createLogger('warn', fileOutput(STDERR)),
        store: { db, vault, settings: { ...webhookSettings(config), targetPolicy } },
        appId,
        details: { title: `plaza webhook listen: ${forwardTo}`, targetUrl: forwardTo, filters },
        onAttempt: (outcome, { kind, eventId }) => context.print(attemptLine({ kind, eventId }, outcome)),
      })
      context.print(`secret to check signatures with: ${listener.webhook.secrets[0]?.value}`)
      context.print(`webhook ${listener.webhook.id} of ${name}, until this command ends`)
      context.print(`forwarding to ${forwardTo}`)
      const isDeleted = await Promise.race([aborted(signal), listener.deleted.then(() => true)])
      await net.close()
      await listener.stop()
      if (isDeleted) throw new UsageError(deletedText)
      context.print('the webhook is deleted')
    } finally {
      await net.close()
      await Promise.all([db, lockDb].map((each) => each.end({ timeout: POOL_END_SECONDS })))
    }
  })
}

/** A laptop that slept comes back to it. */
const deletedText =
  'the webhook of this command is deleted: the database did not hear from the command for ten seconds, or somebody ' +
  'deleted it. Start the command again'

async function startWith(options: ListenerOptions): Promise<Listener> {
  try {
    return await startListener(options)
  } catch (error) {
    if (error instanceof PlazaError) throw new UsageError(error.message)
    throw error
  }
}

/** One line for an attempt: time, type, event, and what the target answered. */
function attemptLine(
  { kind, eventId }: { readonly kind: string; readonly eventId: string },
  { attemptedAtMs, status, latencyMs, failure, nextAttemptAtMs }: DeliveryOutcome,
): string {
  const answer = status === null ? `failed: ${failure}` : `${status} in ${latencyMs} ms`
  const retry = nextAttemptAtMs === null ? '' : `, again at ${timeOf(nextAttemptAtMs)}`
  return `${timeOf(attemptedAtMs)}  ${kind}  ${eventId}  ${answer}${retry}`
}

/** The time of day in UTC, as in other output of the server. */
function timeOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(11, 19)
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Not printed: trades come from chains, and only webhooks get them. */
const TRADES = 'trade.created'

/** Builds the subscription of a command: one filter for each of these event types; no types are all that it can have. */
function subscriptionOf(
  { events = [], forwardTo }: ListenOptions,
  filter: object = {},
): WebhookSubscriptionFilters {
  const named = events.flatMap((each) => each.split(',')).map((each) => each.trim())
  const available = webhookEventKinds.filter((each) => forwardTo !== undefined || each !== TRADES)
  const kinds = named.length === 0 || named.includes('*') ? available : named
  if (forwardTo === undefined && kinds.includes(TRADES)) {
    throw new UsageError(`${TRADES} is not in the event log: use --forward-to`)
  }
  try {
    const filters = Object.fromEntries(kinds.map((each) => [each, filter]))
    const { subscription } = parseBody({ subscription: filters }, { strict: true })
    checkFilters(subscription)
    return subscription
  } catch (error) {
    if (error instanceof PlazaError) throw new UsageError(error.message)
    throw error
  }
}

/** Parses the filter of a subscription from JSON. */
function readFilter(text: string): object {
  try {
    const filter: unknown = JSON.parse(text)
    if (typeof filter === 'object' && filter !== null) return filter
  } catch {
    // Reported below.
  }
  throw new UsageError('--filter: It must be a JSON object such as {"author_fids":[1]}')
}
