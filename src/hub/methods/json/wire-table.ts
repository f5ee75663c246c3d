import { type Names, nameOf } from './enum-names.js'

/**
 * Tables that say how the JSON of a protobuf message is written from its encoded bytes: the members in their order,
 * each with the number of its field and the encoding of its value. `transcode.ts` reads them.
 */

/** How a value is written. The first ones are varints, the others length-delimited. */
export enum Kind {
  integer,
  enumName,
  text,
  hex,
  base64,
  /** An address or block hash as its chain writes it: base58 if the `protocol` of the message is not 0. */
  chainBytes,
  message,
}

/** The largest value of the types of numbers. The generated decoder reads larger ones differently. */
const MAX_INT32 = 0x7fff_ffff
const MAX_UINT32 = 0xffff_ffff
const MAX_UINT64 = Number.MAX_SAFE_INTEGER

const VARINT = 0
const BYTES = 2

/** A field as a table declares it. */
interface Declaration {
  readonly number: number
  readonly kind: Kind
  readonly max: number
  readonly names?: Names
  readonly table?: Table
  readonly isList?: boolean
  /** The field is read and not shown. */
  readonly isHidden?: boolean
  /** Other code writes a message that has the field. */
  readonly isRefused?: boolean
  /** Number of the field that names the chain, of `chainBytes`. */
  readonly protocol?: number
  /** The field is shown, with its default, only where no other of its `oneof` is set. */
  readonly isAlternative?: boolean
  /** Output without the field: its default; `null`; no member. `refused`: other code writes the message. */
  readonly absent: 'default' | 'null' | 'omitted' | 'refused'
}

/** A field of a table. */
export interface TableField {
  readonly number: number
  readonly kind: Kind
  readonly max: number
  readonly isList: boolean
  /** Index of its value in the frame of a message: a number, or where bytes start and, in the next, where they end. */
  readonly slot: number
  /** Slot of the `oneof` that it belongs to, of which a message may set one member only; -1 for none. */
  readonly oneofSlot: number
  /** The member's name with the comma before it, such as `,"fid":`. */
  readonly key: Buffer
  /** Bytes to write without the field; null if the message cannot be written then. */
  readonly absent: Buffer | null
  /** The quoted names of an enum, by number. */
  readonly names: readonly (Buffer | undefined)[]
  readonly table: Table | undefined
  readonly isRefused: boolean
  readonly isAlternative: boolean
  /** Slot of the field that names the chain, of `chainBytes`. */
  readonly protocolSlot: number
}

/** The table of one type of message. */
export interface Table {
  /** In the order of JSON. */
  readonly shown: readonly TableField[]
  /** Lists that are not shown, and are read to know that they decode. */
  readonly hiddenLists: readonly TableField[]
  /** By number and type on the wire. */
  readonly byTag: readonly (TableField | undefined)[]
  /** Slots of its frame. */
  readonly width: number
}

const scalar = (kind: Kind, max: number) => (number: number) =>
  ({ number, kind, max, absent: 'default' }) satisfies Declaration

export const uint32 = scalar(Kind.integer, MAX_UINT32)
export const uint64 = scalar(Kind.integer, MAX_UINT64)
export const text = scalar(Kind.text, 0)
export const hex = scalar(Kind.hex, 0)
export const base64 = scalar(Kind.base64, 0)

/** Bytes that are written as the chain of another field writes them. */
export function chainBytes(number: number, protocol: number): Declaration {
  return { ...scalar(Kind.chainBytes, 0)(number), protocol }
}

/** The name of an enum's value. */
export function enumName(number: number, names: Names): Declaration {
  return { number, kind: Kind.enumName, max: MAX_INT32, names, absent: 'default' }
}

/** A message within another; no member without it. */
export function nested(number: number, inner: Table): Declaration {
  return { number, kind: Kind.message, max: 0, table: inner, absent: 'omitted' }
}

/** A repeated field; an empty list without it. */
export function list(of: Declaration): Declaration {
  return { ...of, isList: true, absent: 'default' }
}

/** A field that is null where it is not set. */
export function orNull(of: Declaration): Declaration {
  return { ...of, absent: 'null' }
}

/** A field whose member is left out where it is not set. */
export function ifSet(of: Declaration): Declaration {
  return { ...of, absent: 'omitted' }
}

/** A field of a `oneof` that stands for none of it too, with its default. */
export function otherwise(of: Declaration): Declaration {
  return { ...of, isAlternative: true }
}

/** A field without which the table does not say how its message is written. */
export function required(of: Declaration): Declaration {
  return { ...of, absent: 'refused' }
}

/** A field that is not shown. It is read, since a message that does not decode is shown differently. */
export function hidden(of: Declaration): Declaration {
  return { ...of, isHidden: true, absent: 'omitted' }
}

/** A field that the table does not cover. */
export function refused(of: Declaration): Declaration {
  return { ...hidden(of), isRefused: true }
}

/**
 * Creates the table of a message from its members in the order of JSON. Of the fields of each list in `oneofs` one
 * may be set.
 */
export function table(
  members: Readonly<Record<string, Declaration>>,
  oneofs: readonly (readonly number[])[] = [],
): Table {
  const declared = Object.entries(members)
  const oneofStart = declared.length * 2
  const slotOf = (number: number | undefined) => declared.findIndex(([, each]) => each.number === number) * 2
  const fields = declared.map(([name, declaration]): TableField => {
    const { number, kind, max, names = [], isList = false, isRefused = false } = declaration
    const { isAlternative = false } = declaration
    const oneof = oneofs.findIndex((numbers) => numbers.includes(number))
    return {
      number,
      kind,
      max,
      isList,
      isRefused,
      isAlternative,
      slot: slotOf(number),
      oneofSlot: oneof < 0 ? -1 : oneofStart + oneof,
      key: Buffer.from(`,"${name}":`),
      absent: absentOf(name, declaration),
      names: names.map((each) => (each === undefined ? undefined : Buffer.from(JSON.stringify(each)))),
      table: declaration.table,
      protocolSlot: slotOf(declaration.protocol),
    }
  })
  const byTag: (TableField | undefined)[] = []
  for (const field of fields) for (const tag of tagsOf(field)) byTag[tag] = field
  const isHidden = (index: number) => declared[index]![1].isHidden === true
  return {
    shown: fields.filter((_, index) => !isHidden(index)),
    hiddenLists: fields.filter(({ isList }, index) => isList && isHidden(index)),
    byTag,
    width: oneofStart + oneofs.length,
  }
}

function absentOf(name: string, { absent, ...declaration }: Declaration): Buffer | null {
  if (absent === 'refused') return null
  if (absent === 'omitted') return Buffer.alloc(0)
  return Buffer.from(`,"${name}":${absent === 'null' ? 'null' : defaultOf(declaration)}`)
}

function defaultOf({ kind, names = [], isList }: Omit<Declaration, 'absent'>): string {
  if (isList) return '[]'
  if (kind === Kind.integer) return '0'
  if (kind === Kind.enumName) return JSON.stringify(nameOf(names, 0))
  return kind === Kind.text || kind === Kind.base64 ? '""' : '"0x"'
}

/** Lists of numbers are packed or not. */
function tagsOf({ number, kind, isList }: TableField): number[] {
  const types = kind > Kind.enumName ? [BYTES] : isList ? [VARINT, BYTES] : [VARINT]
  return types.map((type) => number * 8 + type)
}
