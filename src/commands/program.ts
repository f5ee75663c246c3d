import { Command } from 'commander'
import { version } from '../lib/version.js'
import { addAppCommand } from './app.js'
import { addBackfillCommand } from './backfill.js'
import { addChannelCommand } from './channel.js'
import { addConfigCommand } from './config.js'
import type { CommandContext } from './context.js'
import { addDemoCommand } from './demo.js'
import { addExportCommand } from './export.js'
import { addFidCommand } from './fid.js'
import { addFnameCommand } from './fname.js'
import { addImportCommand } from './import.js'
import { addInboxCommand } from './inbox.js'
import { addKeyCommand } from './key.js'
import { addMigrateCommand } from './migrate.js'
import { addReconcileCommand } from './reconcile.js'
import { addRecountCommand } from './recount.js'
import { addReplayCommand } from './replay.js'
import { addScoreCommand } from './score.js'
import { addSecretCommand } from './secret.js'
import { addServeCommand } from './serve.js'
import { addSignerCommand } from './signer.js'
import { addStorageCommand } from './storage.js'
import { addTokenCommand } from './token.js'
import { addWalletCommand } from './wallet.js'
import { addWebhookCommand } from './webhook.js'

/** Every command. What is not added here cannot be called. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('plaza').description('A server for a social network').version(version)
  addServeCommand(program, context)
  addMigrateCommand(program, context)
  addConfigCommand(program, context)
  addAppCommand(program, context)
  addKeyCommand(program, context)
  addChannelCommand(program, context)
  addScoreCommand(program, context)
  addReplayCommand(program, context)
  addRecountCommand(program, context)
  addInboxCommand(program, context)
  addDemoCommand(program, context)
  addFidCommand(program, context)
  addSignerCommand(program, context)
  addStorageCommand(program, context)
  addSecretCommand(program, context)
  addFnameCommand(program, context)
  addWalletCommand(program, context)
  addTokenCommand(program, context)
  addWebhookCommand(program, context)
  addExportCommand(program, context)
  addImportCommand(program, context)
  addBackfillCommand(program, context)
  addReconcileCommand(program, context)
  return program
}
