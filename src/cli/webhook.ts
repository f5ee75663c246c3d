import type { Command } from 'commander'
import { Option } from 'commander'
import { setWebhookLimits, summarizeWebhooks, type WebhookLimits } from '../features/webhooks/limits.js'
import { webhookEventKinds } from '../features/webhooks/schema/webhook-filters.js'
import type { Database } from '../platform/db/connection.js'
import { isUuid } from '../platform/text/uuid.js'
import { wholeNumber } from './arguments.js'
import { type CommandContext, UsageError } from './context.js'
import { printList } from './table.js'
import type { ListenOptions } from './webhook-listen.js'
import type { TriggerOptions } from './webhook-trigger.js'
import { withDatabase } from './with-database.js'

/** `plaza webhook list|limits|listen|trigger` */
export function addWebhookCommand(webhook: Command, context: CommandContext): void {
  webhook
    .command('list')
    .description('list the webhooks of all apps with their pending deliveries')
    .option('--json', 'print one JSON object per line')
    .action(({ json }: { readonly json?: boolean }) =>
      withDatabase(context, 'webhook', (db) => list(context, db, json)),
    )
  webhook
    .command('limits')
    .description('change the limits of a webhook')
    .argument('<id>', 'webhook_id')
    .option('--http-timeout-ms <ms>', 'timeout of an attempt', wholeNumber(100, 60_000))
    .option('--rate-limit <count>', 'attempts per period', wholeNumber(1, 1_000_000_000))
    .option('--rate-limit-ms <ms>', 'length of the period', wholeNumber(1_000, 86_400_000))
    .action((id: string, limits: WebhookLimits) =>
      withDatabase(context, 'webhook', async (db) => {
        if (!isUuid(id) || !(await setWebhookLimits(db, id, limits)))
          throw new UsageError(`there is no webhook ${id}`)
        context.print(`webhook ${id}`)
      }),
    )
  addListenCommand(webhook, context)
  addTriggerCommand(webhook, context)
}

function addListenCommand(webhook: Command, context: CommandContext): void {
  webhook
    .command('listen')
    .description(
      'print events as they happen, as a webhook would receive them; or forward them to an address of this machine, ' +
        'signed, by a webhook that is deleted at the end',
    )
    .option('--forward-to <url>', 'address on this machine, such as http://localhost:3000/webhook')
    .option('--app <app>', 'app of the webhook, by name or id; default: the only one')
    .option(
      '--events <types...>',
      `event types, separated by commas or spaces; default all, trade.created with --forward-to only: ${webhookEventKinds.join(', ')}`,
    )
    .addOption(new Option('--kind <types...>').hideHelp().argParser(refuseKind))
    .option('--filter <json>', 'filter of a subscription, applied to each type')
    .action(async (options: ListenOptions) => {
      const { listenForEvents } = await import('./webhook-listen.js')
      await listenForEvents(context, options)
    })
}

function refuseKind(): never {
  throw new UsageError('--kind is now --events')
}

function addTriggerCommand(webhook: Command, context: CommandContext): void {
  webhook
    .command('trigger')
    .description('send a signed sample of an event to a webhook, and print what the target answers')
    .argument('<event>', `type of the event: ${webhookEventKinds.join(', ')}`)
    .option('--webhook <id>', 'webhook_id; default: the one that listens, or the only active one')
    .option('--app <app>', 'app of the webhook, by name or id; default: the only one')
    .option('--json', 'print the delivery as JSON')
    .action(async (event: string, options: TriggerOptions) => {
      const { triggerEvent } = await import('./webhook-trigger.js')
      await triggerEvent(context, event, options)
    })
}

async function list(context: CommandContext, db: Database, json: boolean | undefined): Promise<void> {
  printList(context, await summarizeWebhooks(db), {
    json,
    toJson: ({ id, app, targetUrl, active, disabledReason, waiting, failures, isUnsigned }) => ({
      object: 'webhook_summary',
      webhook_id: id,
      app,
      target_url: targetUrl,
      active,
      disabled_reason: disabledReason,
      waiting,
      failures,
      unsigned: isUnsigned,
    }),
    columns: {
      ID: ({ id }) => id,
      APP: ({ app }) => app,
      STATE: ({ active, disabledReason, isUnsigned }) =>
        active ? (isUnsigned ? 'lacks the key of its secret' : 'on') : (disabledReason ?? 'off'),
      WAITING: ({ waiting }) => waiting,
      FAILURES: ({ failures }) => failures,
      TARGET: ({ targetUrl }) => targetUrl,
    },
  })
}
