import type { Command } from 'commander'
import { checksumAddress } from 'viem'
import { LocalChannelRegistry, lastVerifiedAddress } from '../hub/registry/channel-registry.js'
import type { Database } from '../platform/db/connection.js'
import { type Refusal, refuse } from '../platform/errors.js'
import { hexOf } from '../protocol/bytes.js'
import { fid, hexBytes, wholeNumber } from './arguments.js'
import { type CommandContext, UsageError } from './context.js'
import { withRegistry } from './registry-command.js'

interface Options {
  readonly owner?: Buffer
  readonly fid?: number
  readonly days: number
  readonly json?: boolean
}

type Change = (
  registry: LocalChannelRegistry,
  key: string,
  options: { readonly owner: Buffer; readonly days: number },
) => Promise<Refusal | null>

const KEY_TEXT = 'key of the channel: 1 to 16 lowercase letters, digits and hyphens'
const MAX_DAYS = 36_500

/** `plaza channel register|renew|transfer` */
export function addChannelRegistryCommands(channel: Command, context: CommandContext): void {
  const add = (verb: string, description: string, hasOwner: boolean, hasDays: boolean, change: Change) => {
    const command = channel.command(verb).description(description).argument('<key>', KEY_TEXT)
    if (hasOwner) {
      command
        .option('--owner <address>', 'new owner', hexBytes(20, '--owner'))
        .option('--fid <fid>', 'new owner: the Ethereum address that this user verified last', fid)
    }
    if (hasDays) command.option('--days <number>', 'duration', wholeNumber(1, MAX_DAYS), 365)
    command.option('--json', 'print JSON').action(async (key: string, options: Options) => {
      if (hasOwner && (options.owner === undefined) === (options.fid === undefined)) {
        throw new UsageError('give either --owner or --fid')
      }
      await withRegistry(context, { command: 'channel', json: options.json }, async (_, db, hub) => {
        const owner = hasOwner ? await ownerOf(db, options) : Buffer.alloc(0)
        if ('code' in owner) return owner
        const registry = new LocalChannelRegistry({ db, hub, clock: Date.now })
        const refusal = await change(registry, key, { owner, days: options.days })
        return refusal ?? (await report(db, key))
      })
    })
  }
  add(
    'register',
    'register a channel of the protocol for an address, on the devnet',
    true,
    true,
    (registry, key, { owner, days }) => registry.register(key, owner, days),
  )
  add(
    'renew',
    'extend the registration of a channel, on the devnet',
    false,
    true,
    (registry, key, { days }) => registry.renew(key, days),
  )
  add(
    'transfer',
    'transfer a registered channel to another address, on the devnet',
    true,
    false,
    (registry, key, { owner }) => registry.transfer(key, owner),
  )
}

async function ownerOf(db: Database, { owner, fid }: Options): Promise<Buffer | Refusal> {
  if (owner !== undefined) return owner
  return (
    (await lastVerifiedAddress(db, fid!)) ??
    refuse('not_found', `fid ${fid} has verified no Ethereum address: a channel belongs to an address`)
  )
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
