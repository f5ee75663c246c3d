import type { CommandContext } from './context.js'

/** Value of a cell; null is a hyphen. */
type Cell = string | number | null

/** A list and its two forms. */
export interface Listing<Row> {
  /** Print one JSON object per line instead of a table. */
  readonly json?: boolean | undefined
  readonly toJson: (row: Row) => object
  /** The columns of the table: headers with the cell of a row. */
  readonly columns: Readonly<Record<string, (row: Row) => Cell>>
}

const GAP = '  '
/** Characters that would move the cursor of a terminal or break a row: names come from users. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** Prints a list: a table with headers, or one JSON object per line. */
export function printList<Row>(
  { print }: Pick<CommandContext, 'print'>,
  rows: readonly Row[],
  { json = false, toJson, columns }: Listing<Row>,
): void {
  if (json) for (const row of rows) print(JSON.stringify(toJson(row)))
  else for (const line of tableOf(rows, columns)) print(line)
}

/** Returns the lines of a table: headers, and rows whose columns are aligned. Columns of numbers stand right. */
export function tableOf<Row>(rows: readonly Row[], columns: Listing<Row>['columns']): string[] {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)))
  const table = [Object.keys(columns), ...cells.map((row) => row.map(textOf))]
  const widths = table[0]!.map((_, index) => Math.max(...table.map((row) => row[index]!.length)))
  const numeric = widths.map(
    (_, index) =>
      cells.some((row) => isNumber(row[index])) &&
      cells.every((row) => isNumber(row[index]) || row[index] === null),
  )
  return table.map((row) =>
    row
      .map((text, index) => (numeric[index] ? text.padStart(widths[index]!) : text.padEnd(widths[index]!)))
      .join(GAP)
      .trimEnd(),
  )
}

function isNumber(cell: Cell | undefined): boolean {
  return typeof cell === 'number'
}

function textOf(cell: Cell): string {
  return cell === null ? '-' : String(cell).replaceAll(controls, ' ')
}
