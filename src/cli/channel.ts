import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { deleteChannel, importChannel } from '../features/channels/channels.js'
import { channelExists } from '../features/channels/find-channel.js'
import { listChannelMemberships } from '../features/channels/membership-lists.js'
import type { Database } from '../platform/db/connection.js'
import { tryParseJson } from '../platform/text/try-parse-json.js'
import { fid } from './arguments.js'
import { addChannelRegistryCommands } from './channel-registry.js'
import { type CommandContext, UsageError } from './context.js'
import { printList } from './table.js'
import { withDatabase } from './with-database.js'

interface ChannelOptions {
  readonly name?: string
  readonly description?: string
  readonly lead?: number
  readonly parentUrl?: string
  readonly alsoUrl?: string[]
  readonly removeUrl?: string[]
  readonly image?: string
}

/** `plaza channel create|edit|delete|import|members|register|renew|transfer` */
export function addChannelCommand(channel: Command, context: CommandContext): void {
  for (const verb of ['create', 'edit'] as const) {
    const command = channel
      .command(verb)
      .description(verb === 'create' ? 'create a channel' : 'change the given properties of a channel')
      .argument('<id>', 'up to 16 lowercase letters, digits and hyphens')
      .option('--name <name>')
      .option('--description <text>')
      .option('--lead <fid>', 'lead of the channel', fid)
      .option('--parent-url <url>', 'parent URL of its casts')
      .option('--also-url <url...>', 'further parent URLs')
      .option('--image <url>')
      .action((id: string, options: ChannelOptions) =>
        withDatabase(context, 'channel', async (db) => {
          const { removeUrl: removedUrls = [] } = options
          const saving = { mode: verb, removedUrls }
          const problem = await importChannel(db, documentOf(id, options), nowUnix(), saving)
          if (problem !== null) throw new UsageError(problem)
          context.print(`channel ${id}`)
        }),
      )
    if (verb === 'edit') command.option('--remove-url <url...>', 'further parent URLs that end')
  }
  channel
    .command('delete')
    .description('delete a channel with its members, followers and URLs, unless it is of the protocol')
    .argument('<id>')
    .action((id: string) =>
      withDatabase(context, 'channel', async (db) => {
        const problem = await deleteChannel(db, id)
        if (problem !== null) throw new UsageError(problem)
        context.print(`channel ${id} is deleted`)
      }),
    )
  channel
    .command('members')
    .description('list members, open invites, restricted and banned users of a channel')
    .argument('<id>')
    .option('--json', 'print one JSON object per line')
    .action((id: string, { json }: { readonly json?: boolean }) =>
      withDatabase(context, 'channel', (db) => printMembers(context, db, id, json)),
    )
  channel
    .command('import')
    .description('create or change channels from a file with one JSON object per line (docs/channels.md)')
    .argument('<file>', '- for standard input')
    .action((file: string) => withDatabase(context, 'channel', (db) => importChannels(context, db, file)))
  addChannelRegistryCommands(channel, context)
}

function documentOf(id: string, options: ChannelOptions): object {
  return {
    id,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.lead === undefined ? {} : { lead_fid: options.lead }),
    ...(options.parentUrl === undefined ? {} : { parent_url: options.parentUrl }),
    ...(options.alsoUrl === undefined ? {} : { parent_urls: options.alsoUrl }),
    ...(options.image === undefined ? {} : { image_url: options.image }),
  }
}

function nowUnix(): number {
  return Math.floor(Date.now() / 1000)
}

async function printMembers(
  context: CommandContext,
  db: Database,
  id: string,
  json: boolean | undefined,
): Promise<void> {
  const memberships = await listChannelMemberships(db, id)
  // A channel of the protocol may have nobody, not even a lead.
  if (memberships.length === 0 && !(await channelExists(db, id)))
    throw new UsageError(`there is no channel ${id}`)
  printList(context, memberships, {
    json,
    toJson: ({ fid, membership }) => ({ object: 'channel_membership', channel_id: id, fid, membership }),
    columns: { FID: ({ fid }) => fid, MEMBERSHIP: ({ membership }) => membership },
  })
}

/** Reports wrong lines by number and still imports the others. */
async function importChannels(context: CommandContext, db: Database, file: string): Promise<void> {
  const input = file === '-' ? Readable.from(context.stdin) : createReadStream(file)
  let lineNumber = 0
  let saved = 0
  let invalidLines = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    lineNumber += 1
    if (line.trim() === '') continue
    const problem = await importChannel(db, tryParseJson(line), nowUnix())
    if (problem === null) saved += 1
    else {
      invalidLines += 1
      context.print(`line ${lineNumber}: ${problem}`)
    }
  }
  context.print(`saved: ${saved}`)
  if (invalidLines > 0) throw new UsageError(`${invalidLines} lines were not saved`)
}
