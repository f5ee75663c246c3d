import { Command } from 'commander'
import { version } from '../platform/process/version.js'
import type { CommandContext } from './context.js'

/** The command that must know all others. */
const COMPLETION = 'completion'

/** A command: its description, and what loads its options, subcommands and action. */
interface CommandEntry {
  readonly description: string
  readonly load: () => Promise<(command: Command, context: CommandContext) => void>
}

/**
 * All commands, in the order of the help. A command is loaded when it is called: most need few modules and
 * start in a fraction of the time that all of them take. The help of all commands loads none.
 */
const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    description: 'run the server',
    load: async () => (await import('./serve-command.js')).addServeCommand,
  },
  migrate: {
    description: 'migrate the schema, or an app from the hosted service (docs/migrate.md)',
    load: async () => (await import('./migrate.js')).addMigrateCommand,
  },
  config: {
    description: 'print the reference of all environment variables in Markdown',
    load: async () => (await import('./config.js')).addConfigCommand,
  },
  status: {
    description:
      'print whether the server is ready and why not: processes, consumers, queues, sync and sizes; exits with 1 if it is not',
    load: async () => (await import('./status.js')).addStatusCommand,
  },
  logs: {
    description:
      'print recent requests and log lines of all processes of the server, and with --follow new ones',
    load: async () => (await import('./logs.js')).addLogsCommand,
  },
  app: {
    description: 'manage apps, the clients of the API',
    load: async () => (await import('./app.js')).addAppCommand,
  },
  key: {
    description: 'manage API keys',
    load: async () => (await import('./key.js')).addKeyCommand,
  },
  console: {
    description: 'sign in to the console of a server',
    load: async () => (await import('./console.js')).addConsoleCommand,
  },
  channel: {
    description: 'manage channels',
    load: async () => (await import('./channel.js')).addChannelCommand,
  },
  score: {
    description: 'compute the scores of all accounts; `serve` does it regularly',
    load: async () => (await import('./score.js')).addScoreCommand,
  },
  replay: {
    description:
      'rebuild the read model (users, casts, reactions, follows) from the hub, while the server runs',
    load: async () => (await import('./replay.js')).addReplayCommand,
  },
  recount: {
    description: 'check threads and counters against the stored rows and repair them, while the server runs',
    load: async () => (await import('./recount.js')).addRecountCommand,
  },
  inbox: {
    description: 'manage stored notifications',
    load: async () => (await import('./inbox.js')).addInboxCommand,
  },
  demo: {
    description:
      'fill an empty devnet with a generated network; a second run continues after an interruption',
    load: async () => (await import('./demo.js')).addDemoCommand,
  },
  fid: {
    description: 'manage users of the devnet',
    load: async () => (await import('./fid.js')).addFidCommand,
  },
  signer: {
    description: 'manage keys that sign for users of the devnet',
    load: async () => (await import('./signer.js')).addSignerCommand,
  },
  storage: {
    description: 'manage storage of users of the devnet',
    load: async () => (await import('./storage.js')).addStorageCommand,
  },
  secret: {
    description: 'manage encrypted secrets in the database',
    load: async () => (await import('./secret.js')).addSecretCommand,
  },
  fname: {
    description: 'manage names of users of the devnet',
    load: async () => (await import('./fname.js')).addFnameCommand,
  },
  wallet: {
    description: 'wallets of apps, which pay for accounts of users',
    load: async () => (await import('./wallet.js')).addWalletCommand,
  },
  token: {
    description: 'track tokens: their balances and trades (docs/tokens.md)',
    load: async () => (await import('./token.js')).addTokenCommand,
  },
  webhook: {
    description: 'inspect and test webhooks',
    load: async () => (await import('./webhook.js')).addWebhookCommand,
  },
  export: {
    description: 'write messages, on-chain events and names to an archive, user by user',
    load: async () => (await import('./export.js')).addExportCommand,
  },
  import: {
    description: 'merge an archive that you trust; a second run continues after an interruption',
    load: async () => (await import('./import.js')).addImportCommand,
  },
  backfill: {
    description: 'fetch what the upstream (UPSTREAM_HUB) has; run again, it goes on where it was stopped',
    load: async () => (await import('./backfill.js')).addBackfillCommand,
  },
  reconcile: {
    description:
      'compare what is here with the upstream (UPSTREAM_HUB), both ways, and fetch what is missing',
    load: async () => (await import('./reconcile.js')).addReconcileCommand,
  },
  [COMPLETION]: {
    description:
      'print a script that completes commands and options in a shell: eval "$(plaza completion bash)"',
    load: async () => (await import('./completion.js')).addCompletionCommand,
  },
}

/**
 * Builds the command line.
 *
 * @param commandName The command to load. Any other text loads none: commands then have only a name and a description.
 *   Without it, all are loaded.
 */
export async function createProgram(context: CommandContext, commandName?: string): Promise<Command> {
  const program = new Command('plaza')
    .description('An open server that is compatible with the Neynar API for Farcaster, and a hub')
    .version(version)
  const called =
    commandName !== undefined && Object.hasOwn(commands, commandName) ? commands[commandName] : undefined
  const loadsAll = commandName === undefined || commandName === COMPLETION
  for (const [name, entry] of Object.entries(commands)) {
    const isLoaded = entry === called || loadsAll
    if (!isLoaded && called !== undefined) continue
    const command = program.command(name).description(entry.description)
    if (isLoaded) (await entry.load())(command, context)
  }
  return program
}
