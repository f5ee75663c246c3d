import { Cell } from '../generator/cell.js'
import type { Produced } from '../generator/draft.js'
import { generate } from '../generator/generate.js'
import { type BulkJudgement, judgeBulk } from '../judge/bulk.js'
import { judgeSubmit, judgeValidity, type Setting } from '../judge/judge.js'
import { hex, isReadable, readEnvelope, shortFid, Type } from '../judge/message.js'
import { endsLinks } from '../judge/sets.js'
import { type Fault, invalid, merged, refused } from '../judge/verdict.js'
import { isMergedByPlaza, withoutDocumentedRefusals } from './bulk-answers.js'
import type { PlazaHub, StoredRow } from './plaza.js'
import type { Comparison, Tally } from './tally.js'

const MESSAGES_PER_CELL = 400
/** The first rounds are single: shard 0 takes no bulk calls, and channels need owners first. */
const BULK_EVERY_ROUNDS = 30
const VALIDATE_PERCENT = 2
const LINKS: readonly number[] = [Type.LINK_ADD, Type.LINK_REMOVE, Type.LINK_COMPACT_STATE]

/** What both sides say of a message. */
type Outcome = Pick<Comparison, 'reference' | 'plaza' | 'call' | 'separately'>

/** The cells of one network, and both sides' judgements of what they send. */
export class World {
  judged = 0
  private cells: Cell[] = []
  private rounds = 0
  private nextId = 0
  private readonly tainted = new Set<Cell>()

  constructor(
    private readonly plaza: PlazaHub,
    private readonly network: Omit<Setting, 'now'>,
    private readonly seed: number,
    private readonly tally: Tally,
  ) {}

  /** Creates cells, and registers their users at the hub. */
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
    if (++this.rounds % BULK_EVERY_ROUNDS === 0) await this.bulkRound(setting)
    else await this.singleRound(setting)
    await this.replaceCells()
  }

  /** Compares what the hub stores for all cells with the state of the judge. */
  async finish(): Promise<void> {
    await this.compareStored(this.cells)
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
      const { verdict, apply } = judgements[index]!
      this.compare(cell, produced[index]!, { reference: verdict, plaza, call: 'single' })
      if (verdict.isMerged && isMergedByPlaza(plaza)) {
        apply(cell.state)
      } else if (plaza === null) {
        this.tainted.add(cell)
      }
    }
  }

  private compare(cell: Cell, produced: Produced, outcome: Outcome): void {
    if (outcome.call !== 'validate') {
      cell.judged++
      this.judged++
    }
    this.noteEndedLinks(cell, produced.bytes, outcome)
    this.tally.add(this.comparisonOf(cell, produced, outcome))
  }

  private comparisonOf(cell: Cell, { className, bytes, user }: Produced, outcome: Outcome): Comparison {
    return {
      className,
      network: this.network.network,
      bytes,
      sender: user.name,
      hasEndedLinks: cell.endedLinks.has(user.fid),
      ...outcome,
    }
  }

  /** Links after a compact state have another state in Plaza than in the reference node, for some orders. */
  private noteEndedLinks(
    cell: Cell,
    bytes: Uint8Array,
    { reference, plaza }: Pick<Comparison, 'reference' | 'plaza'>,
  ): void {
    if (!isReadable(bytes)) return
    const { data } = readEnvelope(bytes)
    if (data === undefined || !LINKS.includes(data.type)) return
    const fid = shortFid(data.fid)
    const isLate = [reference.fault, plaza].some((fault) => /compact state/i.test(fault?.text ?? ''))
    const body = data.body?.name === 'linkCompactState' ? data.body.value : null
    const target = data.body?.name === 'link' ? data.body.value.targetFid : undefined
    // The reference node confuses targets that are equal modulo 2^32.
    if (typeof target === 'bigint' && target > 0xffff_ffffn) cell.endedLinks.add(fid)
    if (isLate || (body !== null && endsLinks(cell.state, fid, body.type as string, data.timestamp)))
      cell.endedLinks.add(fid)
  }

  private async compareValidity(produced: readonly Produced[], setting: Setting): Promise<void> {
    for (const [index, each] of produced.entries()) {
      const cell = this.cells[index]!
      if (!cell.random.chance(VALIDATE_PERCENT)) continue
      const expected = faultOfValidity(judgeValidity(cell.state, each.bytes, setting))
      this.compare(
        cell,
        { ...each, className: 'C.10 validateMessage' },
        {
          reference: expected === null ? merged : refused(expected),
          plaza: faultOfValidity(await this.plaza.validate(each.bytes)),
          call: 'validate',
        },
      )
    }
  }

  /** Each cell sends three messages in one call; some send the first one twice. */
  private async bulkRound(setting: Setting): Promise<void> {
    const calls = this.cells.map((cell) => {
      const three = [generate(cell, setting.now), generate(cell, setting.now), generate(cell, setting.now)]
      const all = cell.random.chance(20) ? [...three, three[0]!] : three
      const sent = all.filter(({ bytes }) => isReadable(bytes))
      const judgement = judgeBulk(
        cell.state,
        sent.map(({ bytes }) => bytes),
        setting,
      )
      return { cell, sent, judgement }
    })
    const answers = await this.plaza.submitBulk(calls.flatMap(({ sent }) => sent.map(({ bytes }) => bytes)))
    let next = 0
    for (const { cell, sent, judgement } of calls) {
      const own = answers.slice(next, next + sent.length)
      next += sent.length
      this.compareBulk(cell, sent, judgement, own, setting)
    }
  }

  private compareBulk(
    cell: Cell,
    sent: readonly Produced[],
    judgement: BulkJudgement,
    answers: readonly (Fault | null)[],
    setting: Setting,
  ): void {
    noteLinksOfOneBlock(cell, sent)
    const adjusted = withoutDocumentedRefusals(
      { state: cell.state, messages: sent.map(({ bytes }) => bytes), setting },
      judgement,
      answers,
      (index, reference) => {
        const outcome = { reference, plaza: answers[index]!, call: 'bulk' } as const
        return this.tally.isDocumented(this.comparisonOf(cell, sent[index]!, outcome))
      },
    )
    const { verdicts, apply, separately } = adjusted.judgement
    for (const [index, plaza] of answers.entries()) {
      this.compare(
        cell,
        { ...sent[index]!, className: 'C.13 bulk' },
        { reference: verdicts[index]!, plaza, call: 'bulk', separately: separately.verdicts[index]! },
      )
    }
    const agreesWith = (side: BulkJudgement['verdicts']) =>
      answers.every(
        (plaza, index) =>
          adjusted.refusedOnPurpose.has(index) || side[index]!.isMerged === isMergedByPlaza(plaza),
      )
    if (agreesWith(verdicts)) apply(cell.state)
    else if (agreesWith(separately.verdicts)) separately.apply(cell.state)
    else this.tainted.add(cell)
  }

  /** Ends cells that have sent enough, or whose two sides differ, and opens new ones. */
  private async replaceCells(): Promise<void> {
    const ended = this.cells.filter((cell) => cell.judged >= MESSAGES_PER_CELL || this.tainted.has(cell))
    if (ended.length === 0) return
    await this.compareStored(ended)
    this.cells = this.cells.filter((cell) => !ended.includes(cell))
    await this.openCells(ended.length)
  }

  /** Compares what is stored in the end, where no difference has come before. */
  private async compareStored(cells: readonly Cell[]): Promise<void> {
    const comparable = cells.filter((cell) => !this.tainted.has(cell))
    const rows = await this.plaza.stored(comparable.flatMap((cell) => cell.users.map(({ fid }) => fid)))
    const rowsByFid = new Map<number, StoredRow[]>()
    for (const row of rows) rowsByFid.set(row.fid, [...(rowsByFid.get(row.fid) ?? []), row])
    for (const cell of comparable) {
      for (const { fid, name } of cell.users) {
        const withLinks = !cell.endedLinks.has(fid)
        const expected = cell.state.hashesOf(fid, withLinks)
        const actual = (rowsByFid.get(fid) ?? [])
          .filter(({ type }) => withLinks || !LINKS.includes(type))
          .map(({ hash }) => hash)
        this.tally.add({
          className: 'stored sets of a user',
          network: this.network.network,
          bytes: exampleOf(cell, expected, actual),
          sender: name,
          reference: merged,
          plaza: storedFault(fid, expected, actual),
          call: 'stored',
        })
      }
    }
  }
}

/** In the reference node a compact state does not see the links of its own block (docs/protocol.md §9.1). */
function noteLinksOfOneBlock(cell: Cell, sent: readonly Produced[]): void {
  const links = sent.flatMap(({ bytes }) => {
    const { data } = readEnvelope(bytes)
    return data !== undefined && LINKS.includes(data.type) ? [data] : []
  })
  for (const { type, fid } of links) {
    const isBesideOthers = links.filter((other) => other.fid === fid).length > 1
    if (type === Type.LINK_COMPACT_STATE && isBesideOthers) cell.endedLinks.add(shortFid(fid))
  }
}

function faultOfValidity(isValid: boolean | null): Fault | null {
  if (isValid === true) return null
  return invalid(isValid === null ? 'an error' : 'not valid')
}

/** The bytes of a message that only one side stores, if the cell still knows it. */
function exampleOf(cell: Cell, expected: readonly string[], actual: readonly string[]): Uint8Array {
  const onlyOne = [...expected, ...actual].filter((hash) => expected.includes(hash) !== actual.includes(hash))
  const found = cell.earlier.find(({ hash }) => onlyOne.includes(hex(hash)))
  return found?.bytes ?? new Uint8Array(0)
}

function storedFault(fid: number, expected: readonly string[], actual: readonly string[]): Fault | null {
  const missing = expected.filter((hash) => !actual.includes(hash))
  const extra = actual.filter((hash) => !expected.includes(hash))
  if (missing.length + extra.length === 0) return null
  return invalid(`fid ${fid}: not stored ${missing.join(' ')}; stored too much ${extra.join(' ')}`)
}
