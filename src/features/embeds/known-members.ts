/** A record of the same members, of which any may be missing and none is undefined. */
type Known<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Leaves out what is not known, so that it is missing in JSON and to `exactOptionalPropertyTypes` alike. */
export function knownMembers<T extends object>(members: T): Known<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Known<T>
}
