import type { Command } from 'commander'
import { apiKeyJson } from '../features/apps/admin/app-json.js'
import {
  type ApiKey,
  createApiKey,
  listApiKeys,
  listKeysOfApp,
  MAX_RATE_LIMIT,
  revokeApiKey,
  setApiKeyRateLimit,
} from '../features/apps/api-keys.js'
import { findOrCreateApp, knownApp } from './app.js'
import { wholeNumber } from './arguments.js'
import { type CommandContext, UsageError } from './context.js'
import { type Listing, printList } from './table.js'
import { withDatabase } from './with-database.js'

const MAX_ID = 2_147_483_647

interface CreateOptions {
  readonly app: string
  readonly rateLimit?: number
  readonly json?: boolean
}

interface EditOptions {
  readonly rateLimit: number | 'default'
  readonly json?: boolean
}

interface ListOptions {
  readonly app?: string
  readonly json?: boolean
}

/** `plaza key create|list|edit|revoke` */
export function addKeyCommand(key: Command, context: CommandContext): void {
  key
    .command('create')
    .description('create a key and print it; it is not stored and cannot be shown again')
    .requiredOption('--app <app>', 'name or id of its app; an unknown name creates an app')
    .option(
      '--rate-limit <requests>',
      'requests per minute, instead of API_RATE_LIMIT; 0 is no limit',
      wholeNumber(0, MAX_RATE_LIMIT),
    )
    .option('--json', 'print JSON')
    .action(({ app, rateLimit, json }: CreateOptions) =>
      withDatabase(context, 'key', async (db) => {
        const appId = await findOrCreateApp(db, app)
        const { key, ...made } = await createApiKey(db, { appId, rateLimit: rateLimit ?? null })
        context.print(json ? JSON.stringify({ api_key: apiKeyJson(made), key }) : key)
      }),
    )

  key
    .command('list')
    .description('list keys: id, app, prefix, limit, last use and state')
    .option('--app <app>', 'only keys of this app, by name or id')
    .option('--json', 'print one JSON object per line')
    .action(({ app, json }: ListOptions) =>
      withDatabase(context, 'key', async (db) => {
        const keys =
          app === undefined ? await listApiKeys(db) : await listKeysOfApp(db, await knownApp(db, app))
        printList(context, keys, listing(json))
      }),
    )

  key
    .command('edit')
    .description('change the rate limit of a key; servers apply it within a second')
    .argument('<id>', 'id from `key list`', wholeNumber(1, MAX_ID))
    .requiredOption(
      '--rate-limit <requests>',
      'requests per minute; 0 is no limit, `default` is API_RATE_LIMIT',
      (text) => (text === 'default' ? text : wholeNumber(0, MAX_RATE_LIMIT)(text)),
    )
    .option('--json', 'print JSON')
    .action((id: number, { rateLimit, json }: EditOptions) =>
      withDatabase(context, 'key', async (db) => {
        const edited = await setApiKeyRateLimit(db, id, rateLimit === 'default' ? null : rateLimit)
        if (edited === null) throw new UsageError(`there is no key with id ${id}`)
        printList(context, [edited], listing(json))
      }),
    )

  key
    .command('revoke')
    .description('revoke a key; servers refuse it within a second')
    .argument('<id>', 'id from `key list`', wholeNumber(1, MAX_ID))
    .option('--json', 'print JSON')
    .action((id: number, { json }: { readonly json?: boolean }) =>
      withDatabase(context, 'key', async (db) => {
        const revoked = await revokeApiKey(db, id)
        if (!revoked?.isNew) throw new UsageError(`there is no valid key with id ${id}`)
        context.print(json ? JSON.stringify(apiKeyJson(revoked.key)) : `revoked ${id}`)
      }),
    )
}

function listing(json: boolean | undefined): Listing<ApiKey> {
  return {
    json,
    toJson: apiKeyJson,
    columns: {
      ID: ({ id }) => id,
      APP: ({ app }) => app,
      KEY: ({ prefix }) => `${prefix}…`,
      LIMIT: ({ rateLimit }) => rateLimit ?? 'default',
      'LAST USE': ({ lastUsedAt }) => lastUsedAt?.toISOString() ?? 'never used',
      STATE: ({ revokedAt }) => (revokedAt === null ? 'good' : `revoked ${revokedAt.toISOString()}`),
    },
  }
}
