import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { otherAppsTargetPolicy } from '../app/target-policies.js'
import {
  type ImportedToken,
  type ImportTally,
  importTokens,
  type UnnamedTally,
} from '../features/miniapps/tokens/import-tokens.js'
import { type FileRecord, readTokenFile } from '../features/miniapps/tokens/token-files.js'
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
      const failed = report.invalid + report.notStored
      if (failed > 0) throw new UsageError(`${failed} tokens were not imported`)
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

interface ImportReport extends Omit<ImportTally, 'unnamedByHost'> {
  invalid: number
  readonly unnamed: Map<string, UnnamedTally>
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
  const report: ImportReport = {
    ...{ added: 0, updated: 0, unchanged: 0, kept: 0, notStored: 0, invalid: 0 },
    unnamed: new Map(),
  }
  let batch: ImportedToken[] = []
  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const tally = await importTokens(db, appId, batch)
    for (const name of ['added', 'updated', 'unchanged', 'kept', 'notStored'] as const)
      report[name] += tally[name]
    for (const [url, { stored, notStored }] of tally.unnamedByHost) {
      const { host } = new URL(`https://${url}`)
      const known = report.unnamed.get(host) ?? { stored: 0, notStored: 0 }
      report.unnamed.set(host, { stored: known.stored + stored, notStored: known.notStored + notStored })
    }
    batch = []
  }
  for await (const { line, record } of records) {
    const token = typeof record === 'string' ? record : readTokenRecord(record, options)
    if (typeof token === 'string') {
      report.invalid += 1
      if (report.invalid <= MAX_PRINTED) context.progress.write(`token ${line}: ${token}\n`)
      continue
    }
    batch.push(token)
    if (batch.length >= BATCH) await flush()
  }
  await flush()
  return report
}

function jsonOf({ unnamed, notStored, ...counts }: ImportReport) {
  return {
    object: 'token_import',
    ...counts,
    not_stored: notStored,
    without_client: Object.fromEntries(countsOf(unnamed, 'stored')),
    not_stored_by_host: Object.fromEntries(countsOf(unnamed, 'notStored')),
  }
}

/** Counts by host, without those of none. */
function countsOf(unnamed: ImportReport['unnamed'], name: keyof UnnamedTally): [string, number][] {
  return [...unnamed].flatMap(([host, tally]) => (tally[name] > 0 ? [[host, tally[name]]] : []))
}

function linesOf({ added, updated, unchanged, kept, invalid, notStored, unnamed }: ImportReport): string[] {
  const counts = { added, updated, unchanged, 'kept what is here': kept, invalid, 'not stored': notStored }
  return [
    ...Object.entries(counts).flatMap(([name, count]) =>
      count > 0 || name === 'added' ? [`${name}: ${count}`] : [],
    ),
    ...countsOf(unnamed, 'stored').map(
      ([host, count]) =>
        `${count} tokens of ${host} name no client: they are stored for client 0. If you know its fid: --client ${host}=FID`,
    ),
    ...countsOf(unnamed, 'notStored').map(
      ([host, count]) =>
        `${count} tokens of ${host} are not stored: the user has a token at another host. Name the client: --client ${host}=FID`,
    ),
  ]
}
