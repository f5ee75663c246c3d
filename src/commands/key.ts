import { type Command, InvalidArgumentError } from 'commander'
import { createApiKey, listApiKeys, revokeApiKey } from '../apps/api-keys.js'
import { ensureApp } from '../apps/apps.js'
import { type CommandContext, UsageError } from './context.js'
import { withDatabase } from './with-database.js'

const MAX_RATE_LIMIT = 10_000_000
const MAX_ID = 2_147_483_647

interface CreateOptions {
  readonly app: string
  readonly rateLimit?: number | null
}

/** `plaza key create|list|revoke` */
export function addKeyCommand(program: Command, context: CommandContext): void {
  const key = program.command('key').description('keys of the API')

  key
    .command('create')
    .description('make a key and print it: it is stored nowhere and cannot be shown again')
    .requiredOption('--app <name>', 'whose key it is; an app of this name is made if there is none')
    .option(
      '--rate-limit <requests>',
      'requests per minute, instead of API_RATE_LIMIT; 0 is no limit',
      (text) => wholeNumber(text, MAX_RATE_LIMIT),
    )
    .action(({ app, rateLimit = null }: CreateOptions) =>
      withDatabase(context, 'key', async (db) => {
        const appId = await ensureApp(db, app)
        context.print(await createApiKey(db, { appId, rateLimit }))
      }),
    )

  key
    .command('list')
    .description('print id, app, beginning, limit, last use and state of every key, separated by tabs')
    .action(() =>
      withDatabase(context, 'key', async (db) => {
        for (const { id, app, prefix, rateLimit, lastUsedAt, revokedAt } of await listApiKeys(db)) {
          const use = lastUsedAt === null ? 'never used' : lastUsedAt.toISOString()
          const state = revokedAt === null ? 'good' : `revoked ${revokedAt.toISOString()}`
          context.print([id, app, `${prefix}…`, rateLimit ?? 'default', use, state].join('\t'))
        }
      }),
    )

  key
    .command('revoke')
    .description('end a key; servers refuse it within a second')
    .argument('<id>', 'as `key list` shows it', (text) => wholeNumber(text, MAX_ID))
    .action((id: number) =>
      withDatabase(context, 'key', async (db) => {
        if (!(await revokeApiKey(db, id))) throw new UsageError(`there is no good key with id ${id}`)
        context.print(`revoked ${id}`)
      }),
    )
}

function wholeNumber(text: string, maximum: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > maximum) {
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${maximum}.`)
  }
  return value
}
