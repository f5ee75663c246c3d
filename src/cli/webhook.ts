import { Type } from '@sinclair/typebox'
import { type Command, InvalidArgumentError } from 'commander'
import { compileBody } from '../api/parse-body.js'
import { setWebhookLimits, summarizeWebhooks, type WebhookLimits } from '../features/webhooks/limits.js'
import { checkFilters } from '../features/webhooks/matching/filters.js'
import { watchEvents } from '../features/webhooks/preview.js'
import { Hydrator } from '../graph/cache/hydrator.js'
import { WebhookSubscriptionFilters, webhookEventKinds } from '../graph/view/schema/webhook-filters.js'
import { createEventTail } from '../hub/log/tail.js'
import type { Database } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import { placeOf } from '../platform/geo/places.js'
import { wholeNumber } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

interface ListenOptions {
  readonly kind?: string[]
  readonly filter?: object
}

/** One connection reads the log, one waits for its end. */
const LISTEN_POOL_SIZE = 2

/** `plaza webhook list|limits|listen` */
export function addWebhookCommand(program: Command, context: CommandContext): void {
  const webhook = program.command('webhook').description('inspect and test webhooks')
  webhook
    .command('list')
    .description('list the webhooks of all apps with their pending deliveries')
    .action(() => withDatabase(context, 'webhook', (db) => list(context, db)))
  webhook
    .command('limits')
    .description('change the limits of a webhook')
    .argument('<id>', 'webhook_id')
    .option('--http-timeout-ms <ms>', 'timeout of an attempt', wholeNumber(100, 60_000))
    .option('--rate-limit <count>', 'attempts per period', wholeNumber(1, 1_000_000_000))
    .option('--rate-limit-ms <ms>', 'length of the period', wholeNumber(1_000, 86_400_000))
    .action((id: string, limits: WebhookLimits) =>
      withDatabase(context, 'webhook', async (db) => {
        const isId = /^[0-9a-f-]{36}$/i.test(id)
        if (!isId || !(await setWebhookLimits(db, id, limits)))
          throw new UsageError(`there is no webhook ${id}`)
        context.print(`webhook ${id}`)
      }),
    )
  webhook
    .command('listen')
    .description('print events as they happen, as a webhook would receive them')
    .option('--kind <kind...>', `event types; default all: ${webhookEventKinds.join(', ')}`)
    .option('--filter <json>', 'filter of a subscription, applied to each type', readFilter)
    .action((options: ListenOptions) => {
      const filters = subscriptionOf(options)
      const { hubShards: shards } = loadConfig(context)
      const signal = stopSignal(context)
      return withDatabase(
        context,
        'webhook',
        (db) => listen({ context, db, filters, shards, signal }),
        LISTEN_POOL_SIZE,
      )
    })
}

async function list(context: CommandContext, db: Database): Promise<void> {
  for (const { id, app, targetUrl, active, disabledReason, waiting, failures } of await summarizeWebhooks(
    db,
  )) {
    const state = active ? (failures > 0 ? `on, ${failures} failures` : 'on') : (disabledReason ?? 'off')
    context.print(`${id}  ${app}  ${targetUrl}  ${state}  ${waiting} waiting`)
  }
}

interface Listening {
  readonly context: CommandContext
  readonly db: Database
  readonly filters: WebhookSubscriptionFilters
  readonly shards: number
  readonly signal: AbortSignal
}

/** Reads views for each event without a cache, because this process gets no cache invalidations. */
async function listen({ context, db, filters, shards, signal }: Listening): Promise<void> {
  const tail = createEventTail(db)
  const hydrator = new Hydrator({ db, clock: Date.now, placeOf, maxEntries: 0 })
  try {
    for await (const body of watchEvents({ db, hydrator, filters, shards, tail, clock: Date.now }, signal)) {
      context.print(body)
    }
  } finally {
    await tail.close()
  }
}

function readFilter(text: string): object {
  try {
    const filter: unknown = JSON.parse(text)
    if (typeof filter === 'object' && filter !== null) return filter
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It must be a JSON object such as {"author_fids":[1]}.')
}

const parse = compileBody(Type.Object({ subscription: WebhookSubscriptionFilters }))

function subscriptionOf({
  kind = [...webhookEventKinds],
  filter = {},
}: ListenOptions): WebhookSubscriptionFilters {
  try {
    const filters = Object.fromEntries(kind.map((each) => [each, filter]))
    const { subscription } = parse({ subscription: filters }, { strict: true })
    checkFilters(subscription)
    return subscription
  } catch (error) {
    if (error instanceof PlazaError) throw new UsageError(error.message)
    throw error
  }
}
