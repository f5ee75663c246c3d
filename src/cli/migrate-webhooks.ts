import { webhookSettings } from '../app/modules/webhooks.js'
import { openVault } from '../app/open-vault.js'
import { savedTargetsOf } from '../app/target-policies.js'
import { type CopiedWebhook, copyWebhooks } from '../features/webhooks/copy-webhooks.js'
import { chosenApp } from './chosen-app.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { type HostedOptions, withHostedService } from './hosted-service.js'
import { printList } from './table.js'
import { withDatabase } from './with-database.js'

/** The options of `plaza migrate webhooks`. */
export interface MigrateWebhooksOptions extends HostedOptions {
  readonly app?: string
  readonly inactive?: boolean
  readonly json?: boolean
}

/** Copies the webhooks of an app from another service and reports each. */
export async function migrateWebhooks(
  context: CommandContext,
  { app, inactive = false, json = false, ...hosted }: MigrateWebhooksOptions,
): Promise<void> {
  const config = loadConfig(context)
  await withHostedService(context, hosted, (api) =>
    withDatabase(context, 'migrate', async (db) => {
      const { id: appId, name } = await chosenApp(db, app)
      const settings = webhookSettings(config)
      const store = { db, vault: await openVault(config), settings }
      const savedTargets = savedTargetsOf(config, Date.now)
      const copied = await copyWebhooks({ store, appId, api, savedTargets, inactive, clock: Date.now })
      printList(context, copied, { json, toJson: jsonOf, columns })
      if (!json) for (const line of adviceOn(copied, name)) context.print(line)
      const failed = copied.filter(({ outcome }) => outcome === 'not copied').length
      if (failed > 0) throw new UsageError(`${failed} of ${copied.length} webhooks were not copied`)
    }),
  )
}

const columns = {
  SOURCE: ({ sourceId }: CopiedWebhook) => sourceId,
  NAME: ({ title }: CopiedWebhook) => title,
  RESULT: ({ outcome }: CopiedWebhook) => outcome,
  STATE: ({ active, webhookId }: CopiedWebhook) => (webhookId === null ? null : active ? 'on' : 'off'),
  SECRET: ({ secret }: CopiedWebhook) => secret,
  WEBHOOK: ({ webhookId }: CopiedWebhook) => webhookId,
  TARGET: ({ targetUrl }: CopiedWebhook) => targetUrl,
}

function jsonOf({ sourceId, title, targetUrl, webhookId, outcome, active, secret, problems }: CopiedWebhook) {
  return {
    object: 'copied_webhook',
    source_webhook_id: sourceId,
    name: title,
    target_url: targetUrl,
    webhook_id: webhookId,
    result: outcome,
    active,
    secret,
    problems,
  }
}

/** Lists what was left out and why, and the next steps for secrets. Secrets themselves are not printed. */
function adviceOn(copied: readonly CopiedWebhook[], app: string): string[] {
  const problems = copied.flatMap((each) => each.problems.map((problem) => `${each.sourceId}: ${problem}`))
  const unknown = copied.filter(({ secret }) => secret === 'new').length
  return [
    ...problems,
    ...(unknown === 0
      ? []
      : [
          `${unknown} webhooks have a new secret, because the service does not show the old one. Add it to those that your`,
          `receiver accepts: GET /v2/farcaster/webhook/list with a key of ${app} shows it.`,
        ]),
  ]
}
