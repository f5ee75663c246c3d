import type { Command } from 'commander'
import { demoFault, demoId, demoOptions, estimateItems, startOfDay } from '../demo/options.js'
import { loadOrCreateDemo, runDemo, writeDemo } from '../demo/run.js'
import { openArchiveFile } from '../hub/archive/file.js'
import { moment, wholeNumber } from './arguments.js'
import { type CommandContext, UsageError } from './context.js'
import { printTally, progressOf, stopSignal } from './long-command.js'
import { requireDevnet } from './registry-command.js'
import { completeDemo } from './small-demo.js'
import { withHub } from './with-hub.js'

interface Options {
  readonly users: number
  readonly casts: number
  readonly reactions?: number
  readonly follows?: number
  readonly seed: string
  readonly end?: number
  readonly out?: string
}

const count = wholeNumber(0, 1_000_000_000)

/** `plaza demo` */
export function addDemoCommand(command: Command, context: CommandContext): void {
  command
    .option('--users <number>', 'number of users', wholeNumber(1, 10_000_000), 1000)
    .option('--casts <number>', 'number of casts', count, 20_000)
    .option('--reactions <number>', 'number of likes and recasts; default 5 per cast', count)
    .option('--follows <number>', 'number of follows; default 100 per user', count)
    .option('--seed <text>', 'seed; the same seed gives the same bytes', 'plaza')
    .option(
      '--end <date>',
      'end of the 30 days of the network; default the last full hour, and today for an archive',
      moment,
    )
    .option('--out <file>', 'write an archive for `plaza import` instead, without a database')
    .action((options: Options) =>
      options.out === undefined ? mergeDemo(context, options) : writeArchive(context, options, options.out),
    )
}

async function mergeDemo(context: CommandContext, options: Options): Promise<void> {
  requireDevnet(context)
  const signal = stopSignal(context)
  await withHub(context, 'demo', async ({ db, hub }) => {
    const demo = await loadOrCreateDemo(db, requestedOptions(options), nowUnix())
    if (typeof demo === 'string') throw new UsageError(demo)
    const progress = progressOf(context, { label: 'demo', unit: 'items', total: estimateItems(demo) })
    const onProgress = (items: number, ofThisRun: number) => progress.update(items, ofThisRun)
    const result = await runDemo({ db, hub, demo, signal, onProgress })
    progress.finish()
    if (result.outcome === 'complete') {
      context.progress.write('demo: adding channels and computing scores\n')
      await completeDemo(db, result.tally)
    }
    printTally(context, result.tally)
    if (result.outcome === 'stopped') {
      throw new UsageError(
        `stopped after ${result.items} messages and events: run the same command to continue`,
      )
    }
    context.print(`the demo is complete: ${result.items} messages and events`)
  })
}

async function writeArchive(context: CommandContext, options: Options, path: string): Promise<void> {
  requireDevnet(context)
  const signal = stopSignal(context)
  const demo = demoOptions({ ...requestedOptions(options), end: options.end ?? startOfDay(nowUnix()) })
  const fault = demoFault(demo, nowUnix())
  if (fault !== null) throw new UsageError(fault)
  const file = await openArchiveFile(path, { network: demo.network, archiveId: demoId(demo), resume: true })
  try {
    const start = file.start.framesBefore
    const progress = progressOf(context, { label: 'demo', unit: 'items', total: estimateItems(demo), start })
    const onProgress = (items: number, ofThisRun: number) => progress.update(items, ofThisRun)
    const isComplete = await writeDemo({ demo, file, signal, onProgress })
    progress.finish()
    if (!isComplete) {
      const end = new Date(demo.end * 1000).toISOString()
      throw new UsageError(`stopped: run the same command to continue, with --end ${end}`)
    }
    context.print(`${path} is complete`)
  } finally {
    await file.close()
  }
}

function requestedOptions({ users, casts, reactions, follows, seed, end }: Options) {
  return {
    users,
    casts,
    seed,
    ...(reactions !== undefined && { reactions }),
    ...(follows !== undefined && { follows }),
    ...(end !== undefined && { end }),
  }
}

function nowUnix(): number {
  return Math.floor(Date.now() / 1000)
}
