import type { Database } from '../../../src/platform/db/connection.js'
import { Cell, START } from '../generator/cell.js'
import type { Produced } from '../generator/draft.js'
import { generate } from '../generator/generate.js'
import { judgeBulk } from '../judge/bulk.js'
import { judgeSubmit, judgeValidity, type Setting } from '../judge/judge.js'
import { isReadable } from '../judge/message.js'
import { invalid, merged, refused } from '../judge/verdict.js'
import { explain } from './differences.js'
import { openPlazaHub, type PlazaHub } from './plaza.js'
import { Tally } from './tally.js'

export interface RunOptions {
  readonly messages: number
  readonly seed: number
  readonly networks: readonly {
    readonly network: number
    readonly hasChannels: boolean
    readonly db: Database
  }[]
  /** Cells that are open at a time, so also the size of a call. */
  readonly cells?: number
}

const MESSAGES_PER_CELL = 400
const BULK_PERCENT = 3
const VALIDATE_PERCENT = 5

/** Generates messages, has both sides judge them, and counts how far they agree. */
export async function runFidelity(options: RunOptions): Promise<Tally> {
  const tally = new Tally(explain)
  for (const network of options.networks) {
    const share = Math.ceil(options.messages / options.networks.length)
    await runNetwork({ ...options, ...network, messages: share }, tally)
  }
  return tally
}

type NetworkRun = RunOptions & RunOptions['networks'][number]

async function runNetwork(
  { db, network, hasChannels, messages, seed, cells: open = 60 }: NetworkRun,
  tally: Tally,
) {
  const plaza = await openPlazaHub(db, network, START)
  const world = new World(plaza, { network, hasChannels }, seed, tally)
  try {
    await world.openCells(open)
    while (world.judged < messages) await world.round()
    await world.finish()
  } finally {
    await plaza.close()
  }
}

/** The cells of one network. */
class World {
  judged = 0
  private cells: Cell[] = []
  private nextId = 0
  private readonly tainted = new Set<Cell>()

  constructor(
    private readonly plaza: PlazaHub,
    private readonly network: Omit<Setting, 'now'>,
    private readonly seed: number,
    private readonly tally: Tally,
  ) {}

  async openCells(count: number): Promise<void> {
    const opened = Array.from(
      { length: count },
      () => new Cell(this.nextId++, this.network.network, this.seed),
    )
    await this.plaza.open(opened)
    this.cells.push(...opened)
  }

  /** Gives one message of each cell to both sides, or a few in a bulk call. */
  async round(): Promise<void> {
    this.plaza.time.now++
    const setting: Setting = { ...this.network, now: this.plaza.time.now }
    const isBulk = this.judged % 100 < BULK_PERCENT && this.judged > 0
    if (isBulk) await this.bulkRound(setting)
    else await this.singleRound(setting)
    await this.replaceCells()
  }

  private async singleRound(setting: Setting): Promise<void> {
    const produced = this.cells.map((cell) => generate(cell, setting.now))
    const judgements = produced.map(({ bytes }, index) =>
      judgeSubmit(this.cells[index]!.state, bytes, setting),
    )
    await this.compareValidity(produced, setting)
    const answers = await this.plaza.submit(produced.map(({ bytes }) => bytes))
    for (const [index, plaza] of answers.entries()) {
      const cell = this.cells[index]!
      const { bytes, className, user } = produced[index]!
      const { verdict, apply } = judgements[index]!
      this.count(cell)
      this.tally.add({
        className,
        network: setting.network,
        bytes,
        sender: user.name,
        reference: verdict,
        plaza,
        call: 'single',
      })
      if (plaza === null || plaza.code === 'bad_request.prunable') {
        if (verdict.isMerged) apply(cell.state)
        else if (plaza === null) this.tainted.add(cell)
      }
    }
  }

  private async compareValidity(produced: readonly Produced[], setting: Setting): Promise<void> {
    for (const [index, { bytes, user }] of produced.entries()) {
      const cell = this.cells[index]!
      if (!cell.random.chance(VALIDATE_PERCENT)) continue
      const expected = judgeValidity(cell.state, bytes, setting)
      const answer = await this.plaza.validate(bytes)
      const verdictOf = (valid: boolean | null) =>
        valid ? null : invalid(valid === null ? 'an error' : 'not valid')
      const fault = verdictOf(expected)
      const reference = fault === null ? merged : refused(fault)
      const plaza = verdictOf(answer)
      this.tally.add({
        className: 'C.10 validateMessage',
        network: setting.network,
        bytes,
        sender: user.name,
        reference,
        plaza,
        call: 'validate',
      })
    }
  }

  /** A third of the cells sends three messages each in one call. */
  private async bulkRound(setting: Setting): Promise<void> {
    const cells = this.cells.filter((_, index) => index % 3 === this.judged % 3)
    const groups = cells.map((cell) => {
      const first = generate(cell, setting.now)
      const more = [generate(cell, setting.now), generate(cell, setting.now)]
      return cell.random.chance(20) ? [first, ...more, first] : [first, ...more]
    })
    const calls = groups.map((group, index) => {
      const readable = group.filter(({ bytes }) => isReadable(bytes))
      return {
        readable,
        ...judgeBulk(
          cells[index]!.state,
          readable.map(({ bytes }) => bytes),
          setting,
        ),
      }
    })
    const answers = await this.plaza.submitBulk(
      calls.flatMap(({ readable }) => readable.map(({ bytes }) => bytes)),
    )
    let next = 0
    for (const [index, { readable, verdicts, apply }] of calls.entries()) {
      const cell = cells[index]!
      let isEqual = true
      for (const [place, { bytes, user }] of readable.entries()) {
        const plaza = answers[next++]!
        const reference = verdicts[place]!
        this.count(cell)
        if ((plaza === null) !== reference.isMerged) isEqual = false
        this.tally.add({
          className: 'C.13 bulk',
          network: setting.network,
          bytes,
          sender: user.name,
          reference,
          plaza,
          call: 'bulk',
        })
      }
      if (isEqual) apply(cell.state)
      else this.tainted.add(cell)
    }
  }

  private count(cell: Cell): void {
    cell.judged++
    this.judged++
  }

  /** Ends cells that have sent enough, or whose two sides differ, and opens new ones. */
  private async replaceCells(): Promise<void> {
    const ended = this.cells.filter((cell) => cell.judged >= MESSAGES_PER_CELL || this.tainted.has(cell))
    if (ended.length === 0) return
    await this.compareStored(ended)
    this.cells = this.cells.filter((cell) => !ended.includes(cell))
    await this.openCells(ended.length)
  }

  async finish(): Promise<void> {
    await this.compareStored(this.cells)
  }

  /** Compares what is stored in the end, where no difference has come before. */
  private async compareStored(cells: readonly Cell[]): Promise<void> {
    const comparable = cells.filter((cell) => !this.tainted.has(cell))
    const fids = comparable.flatMap((cell) => cell.users.map(({ fid }) => fid))
    const stored = await this.plaza.storedHashes(fids)
    for (const cell of comparable) {
      for (const { fid, name } of cell.users) {
        const expected = cell.state.hashesOf(fid)
        const actual = stored.get(fid)!
        const missing = expected.filter((hash) => !actual.includes(hash))
        const extra = actual.filter((hash) => !expected.includes(hash))
        const plaza =
          missing.length + extra.length === 0
            ? null
            : invalid(`fid ${fid}: not stored ${missing.join(' ')}; stored too much ${extra.join(' ')}`)
        this.tally.add({
          className: 'stored sets of a user',
          network: this.network.network,
          bytes: new Uint8Array(0),
          sender: name,
          reference: merged,
          plaza,
          call: 'stored',
        })
      }
    }
  }
}
