import type { Command } from 'commander'
import { checksumAddress } from 'viem'
import { LocalChannelRegistry, lastVerifiedAddress } from '../hub/registry/channel-registry.js'
import type { Database } from '../platform/db/connection.js'
import { isRefusal, type Refusal, refuse } from '../platform/errors.js'
import { hexOf } from '../protocol/bytes.js'
import { fid, hexBytes, wholeNumber } from './arguments.js'
import { type CommandContext, UsageError } from './context.js'
import { withRegistry } from './registry-command.js'

interface OwnerOptions {
  readonly owner?: Buffer
  readonly fid?: number
}

interface DaysOption {
  readonly days: number
}

interface JsonOption {
  readonly json?: boolean | undefined
}

const KEY_TEXT = 'key of the channel: 1 to 16 lowercase letters, digits and hyphens'
const MAX_DAYS = 36_500

/** `plaza channel register|renew|transfer` */
export function addChannelRegistryCommands(channel: Command, context: CommandContext): void {
  const register = channel
    .command('register')
    .description('register a channel of the protocol for an address, on the devnet')
    .argument('<key>', KEY_TEXT)
  addJsonOption(addDaysOption(addOwnerOptions(register))).action(
    async (key: string, { days, json, ...named }: OwnerOptions & DaysOption & JsonOption) => {
      checkOwner(named)
      await change(context, { key, json }, async (registry, db) => {
        const owner = await ownerOf(db, named)
        return isRefusal(owner) ? owner : await registry.register(key, owner, days)
      })
    },
  )

  const renew = channel
    .command('renew')
    .description('extend the registration of a channel, on the devnet')
    .argument('<key>', KEY_TEXT)
  addJsonOption(addDaysOption(renew)).action((key: string, { days, json }: DaysOption & JsonOption) =>
    change(context, { key, json }, (registry) => registry.renew(key, days)),
  )

  const transfer = channel
    .command('transfer')
    .description('transfer a registered channel to another address, on the devnet')
    .argument('<key>', KEY_TEXT)
  addJsonOption(addOwnerOptions(transfer)).action(
    async (key: string, { json, ...named }: OwnerOptions & JsonOption) => {
      checkOwner(named)
      await change(context, { key, json }, async (registry, db) => {
        const owner = await ownerOf(db, named)
        return isRefusal(owner) ? owner : await registry.transfer(key, owner)
      })
    },
  )
}

function addOwnerOptions(command: Command): Command {
  return command
    .option('--owner <address>', 'new owner', hexBytes(20, '--owner'))
    .option('--fid <fid>', 'new owner: the Ethereum address that this user verified last', fid)
}

function addDaysOption(command: Command): Command {
  return command.option('--days <number>', 'duration', wholeNumber(1, MAX_DAYS), 365)
}

function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON')
}

function checkOwner({ owner, fid }: OwnerOptions): void {
  if ((owner === undefined) === (fid === undefined)) throw new UsageError('give either --owner or --fid')
}

async function ownerOf(db: Database, { owner, fid }: OwnerOptions): Promise<Buffer | Refusal> {
  if (owner !== undefined) return owner
  return (
    (await lastVerifiedAddress(db, fid!)) ??
    refuse('not_found', `fid ${fid} has verified no Ethereum address: a channel belongs to an address`)
  )
}

/** Changes a registration, and prints what it is then. */
async function change(
  context: CommandContext,
  { key, json }: JsonOption & { readonly key: string },
  apply: (registry: LocalChannelRegistry, db: Database) => Promise<Refusal | null>,
): Promise<void> {
  await withRegistry(context, { command: 'channel', json }, async (_, db, hub) => {
    const refusal = await apply(new LocalChannelRegistry({ db, hub, clock: Date.now }), db)
    return refusal ?? (await report(db, key))
  })
}

async function report(db: Database, key: string) {
  const [row] = await db<{ owner: Buffer; expiry: number }[]>`
    select owner_address as owner, expires_at as expiry from hub.channels where channel_key = ${key}
  `
  const { owner, expiry } = row!
  const address = checksumAddress(hexOf(owner))
  const until = new Date(expiry * 1000).toISOString()
  return {
    json: { key, owner: address, expiry },
    lines: [`channel ${key} belongs to ${address} until ${until}`],
  }
}
