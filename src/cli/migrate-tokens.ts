import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { otherAppsTargetPolicy } from '../app/target-policies.js'
import {
  type ImportedToken,
  type ImportTally,
  importTokens,
} from '../features/miniapps/tokens/import-tokens.js'
import { type FileRecord, readTokenFile } from '../features/miniapps/tokens/token-files.js'
import { UNNAMED_CLIENT } from '../features/miniapps/tokens/token-holder.js'
import {
  type RecordOptions,
  readClientOfHost,
  readTokenRecord,
} from '../features/miniapps/tokens/token-records.js'
import type { PublicApi } from '../hub/sync/import/public-api.js'
import type { Database } from '../platform/db/connection.js'
import { chosenApp } from './chosen-app.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { withHostedService } from './hosted-service.js'
import { withDatabase } from './with-database.js'

/** The options of `plaza migrate tokens`. */
export interface MigrateTokensOptions {
  readonly from?: string
  readonly key?: string
  readonly app?: string
  readonly client?: readonly string[]
  readonly json?: boolean
}

const BATCH = 5_000
/** As many as the hosted operation gives at once. */
const PAGE = 100
/** Problems of a file that are printed; all are counted. */
const MAX_PRINTED = 20

/** Imports notification tokens of a mini app from a file or another service, and reports what became of them. */
export async function migrateTokens(
  context: CommandContext,
  file: string | undefined,
  { from, key, app, client = [], json = false }: MigrateTokensOptions,
): Promise<void> {
  if ((file === undefined) === (from === undefined)) throw new UsageError('give a file, or --from and --key')
  const clients = new Map(client.map(clientOf))
  const options = { policy: otherAppsTargetPolicy(loadConfig(context)), clients }
  // A file is opened when it is read: an error of a stream that nobody reads would end the process.
  const importAll = (read: () => AsyncIterable<FileRecord>) =>
    withDatabase(context, 'migrate', async (db) => {
      const { id: appId } = await chosenApp(db, app)
      const report = await importRecords({ context, db, appId, options }, read())
      if (json) context.print(JSON.stringify(jsonOf(report)))
      else for (const line of linesOf(report)) context.print(line)
      if (report.invalid > 0) throw new UsageError(`${report.invalid} tokens were not imported`)
    })
  if (file !== undefined) {
    return await importAll(() =>
      readTokenFile(file === '-' ? Readable.from(context.stdin) : createReadStream(file)),
    )
  }
  if (key === undefined) throw new UsageError('--from needs --key')
  await withHostedService(context, { from: from!, key }, (api) => importAll(() => readPages(api)))
}

function clientOf(text: string): readonly [string, number] {
  const client = readClientOfHost(text)
  if (client === null) throw new UsageError('--client must be HOST=FID, such as api.example.com=12')
  return client
}

const TokenPage = Type.Object({
  notification_tokens: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  next: Type.Optional(
    Type.Union([
      Type.Object({ cursor: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
      Type.Null(),
    ]),
  ),
})

async function* readPages(api: PublicApi): AsyncGenerator<FileRecord> {
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let line = 1; ; ) {
    const { notification_tokens, next } = await api.get(
      '/frame/notification_tokens',
      { limit: PAGE, cursor },
      TokenPage,
    )
    for (const record of notification_tokens) yield { line: line++, record }
    cursor = next?.cursor ?? undefined
    if (!cursor) return
    if (seen.has(cursor)) throw new Error('the service repeats a page of tokens')
    seen.add(cursor)
  }
}

interface ImportReport extends ImportTally {
  invalid: number
  /** Tokens without a client by the host of their URL. */
  readonly unnamed: Map<string, number>
}

interface Import {
  readonly context: CommandContext
  readonly db: Database
  readonly appId: string
  readonly options: RecordOptions
}

/** Reports invalid records by their line and imports the others. */
async function importRecords(
  { context, db, appId, options }: Import,
  records: AsyncIterable<FileRecord>,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, updated: 0, unchanged: 0, kept: 0, invalid: 0, unnamed: new Map() }
  let batch: ImportedToken[] = []
  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const tally = await importTokens(db, appId, batch)
    for (const name of ['added', 'updated', 'unchanged', 'kept'] as const) report[name] += tally[name]
    batch = []
  }
  for await (const { line, record } of records) {
    const token = typeof record === 'string' ? record : readTokenRecord(record, options)
    if (typeof token === 'string') {
      report.invalid += 1
      if (report.invalid <= MAX_PRINTED) context.progress.write(`token ${line}: ${token}\n`)
      continue
    }
    if (token.clientFid === UNNAMED_CLIENT) {
      const { host } = new URL(token.url)
      report.unnamed.set(host, (report.unnamed.get(host) ?? 0) + 1)
    }
    batch.push(token)
    if (batch.length >= BATCH) await flush()
  }
  await flush()
  return report
}

function jsonOf({ unnamed, ...counts }: ImportReport) {
  return { object: 'token_import', ...counts, without_client: Object.fromEntries(unnamed) }
}

function linesOf({ added, updated, unchanged, kept, invalid, unnamed }: ImportReport): string[] {
  const counts = { added, updated, unchanged, 'kept what is here': kept, invalid }
  return [
    ...Object.entries(counts).flatMap(([name, count]) =>
      count > 0 || name === 'added' ? [`${name}: ${count}`] : [],
    ),
    ...[...unnamed].map(
      ([host, count]) =>
        `${count} tokens of ${host} name no client: they are stored for client 0. If you know its fid: --client ${host}=FID`,
    ),
  ]
}
