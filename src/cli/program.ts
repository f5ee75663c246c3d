import { Command } from 'commander'
import { version } from '../platform/process/version.js'
import type { CommandContext } from './context.js'

type AddCommand = (program: Command, context: CommandContext) => void

/**
 * All commands, in the order of the help. A command is loaded when it is called: most need few modules and
 * start in a fraction of the time that all of them take.
 */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./serve.js')).addServeCommand,
  migrate: async () => (await import('./migrate.js')).addMigrateCommand,
  config: async () => (await import('./config.js')).addConfigCommand,
  app: async () => (await import('./app.js')).addAppCommand,
  key: async () => (await import('./key.js')).addKeyCommand,
  console: async () => (await import('./console.js')).addConsoleCommand,
  channel: async () => (await import('./channel.js')).addChannelCommand,
  score: async () => (await import('./score.js')).addScoreCommand,
  replay: async () => (await import('./replay.js')).addReplayCommand,
  recount: async () => (await import('./recount.js')).addRecountCommand,
  inbox: async () => (await import('./inbox.js')).addInboxCommand,
  demo: async () => (await import('./demo.js')).addDemoCommand,
  fid: async () => (await import('./fid.js')).addFidCommand,
  signer: async () => (await import('./signer.js')).addSignerCommand,
  storage: async () => (await import('./storage.js')).addStorageCommand,
  secret: async () => (await import('./secret.js')).addSecretCommand,
  fname: async () => (await import('./fname.js')).addFnameCommand,
  wallet: async () => (await import('./wallet.js')).addWalletCommand,
  token: async () => (await import('./token.js')).addTokenCommand,
  webhook: async () => (await import('./webhook.js')).addWebhookCommand,
  export: async () => (await import('./export.js')).addExportCommand,
  import: async () => (await import('./import.js')).addImportCommand,
  backfill: async () => (await import('./backfill.js')).addBackfillCommand,
  reconcile: async () => (await import('./reconcile.js')).addReconcileCommand,
}

/**
 * Builds the command line.
 *
 * @param commandName The command to load. Any other value loads all commands.
 */
export async function createProgram(context: CommandContext, commandName?: string): Promise<Command> {
  const program = new Command('plaza')
    .description('An open server that is compatible with the Neynar API for Farcaster, and a hub')
    .version(version)
  const loader =
    commandName !== undefined && Object.hasOwn(commands, commandName) ? commands[commandName] : undefined
  for (const load of loader ? [loader] : Object.values(commands)) (await load())(program, context)
  return program
}
