import type { Command } from 'commander'
import { encryptedColumns, reencrypt } from '../app/encrypted-columns.js'
import { openVault } from '../app/open-vault.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

/** `plaza secret rotate` */
export function addSecretCommand(command: Command, context: CommandContext): void {
  command
    .command('rotate')
    .description(
      're-encrypt all secrets with the first key of PLAZA_SECRET_KEY; continues after an interruption',
    )
    .action(() => reencryptAll(context))
}

async function reencryptAll(context: CommandContext): Promise<void> {
  const vault = await openVault(loadConfig(context))
  if (vault.keyId === null) throw new UsageError('there is no encryption key: set PLAZA_SECRET_KEY')
  const signal = stopSignal(context, new UsageError('stopped: run the same command to continue'))
  await withDatabase(context, 'secret', async (db) => {
    const unreadable: string[] = []
    for (const column of encryptedColumns) {
      let done = 0
      const onBatch = (count: number) => {
        done += count
        context.progress.write(`${column.table}: ${done}\n`)
      }
      const result = await reencrypt(db, vault, column, { signal, onBatch })
      context.print(`${column.table}: ${result.reencrypted} re-encrypted`)
      if (result.unreadable > 0) unreadable.push(`${column.table}: ${result.unreadable}`)
    }
    if (unreadable.length > 0) {
      throw new UsageError(
        `secrets that no key decrypts, which are unchanged (${unreadable.join(', ')}): add their key to the end of ` +
          'PLAZA_SECRET_KEY and run this again; if it is lost, replace them (docs/signers.md)',
      )
    }
  })
}
