import type { Decoded } from './schema.js'
import type { SetName, State, Stored, UnitKind } from './state.js'

/** Storage units, loans and the limits that they give. */

const kinds: readonly UnitKind[] = ['legacy', 'y2024', 'y2025']

const perUnit: Readonly<Record<UnitKind, Readonly<Record<SetName, number>>>> = {
  legacy: limits(5000, 2500, 2500, 50, 5, 25),
  y2024: limits(2000, 1000, 1000, 50, 5, 25),
  y2025: limits(100, 200, 200, 25, 2, 5),
}

function limits(
  casts: number,
  links: number,
  reactions: number,
  userData: number,
  usernameProofs: number,
  verifications: number,
): Record<SetName, number> {
  return { casts, links, reactions, userData, usernameProofs, verifications, lends: 1 }
}

/** Units that are rented and not expired, without loans. */
export function ownUnits(state: State, fid: number, kind: UnitKind, nowUnix: number): number {
  const rents = state.accounts.get(fid)?.rents ?? []
  return rents
    .filter((rent) => rent.kind === kind && rent.expiresAt > nowUnix)
    .reduce((sum, rent) => sum + rent.units, 0)
}

function isLoanOf(stored: Stored, kind: UnitKind): boolean {
  return kinds[(stored.data.body!.value as Decoded).unitType as number] === kind
}

const unitsOf = (stored: Stored) => Number((stored.data.body!.value as Decoded).numUnits as bigint)

/** Sums the units of a kind that a user lends to others. */
export function lentUnits(state: State, fid: number, kind: UnitKind): number {
  return [...state.set(fid, 'lends').values()]
    .filter((stored) => isLoanOf(stored, kind))
    .reduce((sum, stored) => sum + unitsOf(stored), 0)
}

function borrowedUnits(state: State, fid: number, kind: UnitKind): number {
  return [...state.accounts.keys()]
    .map((lender) => state.set(lender, 'lends').get(`${fid}`))
    .filter((stored) => stored !== undefined && isLoanOf(stored, kind))
    .reduce((sum, stored) => sum + unitsOf(stored!), 0)
}

/** Units after loans. */
function netUnits(state: State, fid: number, kind: UnitKind, nowUnix: number): number {
  return ownUnits(state, fid, kind, nowUnix) - lentUnits(state, fid, kind) + borrowedUnits(state, fid, kind)
}

/** Whether a user has units of any kind left after loans. */
export function hasStorage(state: State, fid: number, nowUnix: number): boolean {
  return kinds.some((kind) => netUnits(state, fid, kind, nowUnix) > 0)
}

/** How many messages a user may have in a set. */
export function limitOf(state: State, fid: number, set: SetName, nowUnix: number): number {
  return kinds.reduce((sum, kind) => sum + perUnit[kind][set] * netUnits(state, fid, kind, nowUnix), 0)
}

/** The kind of units that a loan moves. */
export function unitKind(unitType: number): UnitKind {
  return kinds[unitType]!
}
