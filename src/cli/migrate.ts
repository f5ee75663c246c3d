import type { Command } from 'commander'
import type { CommandContext } from './context.js'
import type { MigrateTokensOptions } from './migrate-tokens.js'
import type { MigrateWebhooksOptions } from './migrate-webhooks.js'
import { withDatabaseUrl } from './with-database.js'

const KEY = 'key of its API; - reads it from standard input, so that no list of processes shows it'
const APP = 'app here, by name or id; default: the only one'

/** `plaza migrate [schema]|webhooks|tokens` */
export function addMigrateCommand(migrate: Command, context: CommandContext): void {
  migrate
    .command('schema', { isDefault: true })
    .description(
      'migrate the schema of the database to this version; `serve` does it at the start, and `plaza migrate` is the same',
    )
    .action(async () => {
      await withDatabaseUrl(context, 'migrate', async () => {}, { upgrades: true })
      context.print('the schema is up to date')
    })
  migrate
    .command('webhooks')
    .description('copy the webhooks of an app from a service with the same API; a second run copies changes')
    .requiredOption('--from <url>', 'address of the service')
    .requiredOption('--key <key>', KEY)
    .option('--app <app>', APP)
    .option('--inactive', 'leave the copies off, until a run without it')
    .option('--json', 'print one JSON object per webhook')
    .action(async (options: MigrateWebhooksOptions) => {
      const { migrateWebhooks } = await import('./migrate-webhooks.js')
      await migrateWebhooks(context, options)
    })
  migrate
    .command('tokens')
    .description(
      'import notification tokens of a mini app from a file (CSV with a header, JSON lines, replies of ' +
        'frame/notification_tokens), or from a service with the same API; a second run changes nothing',
    )
    .argument(
      '[file]',
      'fid, token, url and perhaps client_fid, status, created_at, updated_at; - for standard input',
    )
    .option('--from <url>', 'address of a service, instead of a file')
    .option('--key <key>', KEY)
    .option('--app <app>', APP)
    .option('--client <host=fid...>', 'client app of tokens that name none, by the host of their URL')
    .option('--json', 'print the report as JSON')
    .action(async (file: string | undefined, options: MigrateTokensOptions) => {
      const { migrateTokens } = await import('./migrate-tokens.js')
      await migrateTokens(context, file, options)
    })
}
