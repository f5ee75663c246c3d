/** A record of the same members, of which any may be missing and none is undefined. */
type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Leaves out what is not known, so that it is missing in JSON and to `exactOptionalPropertyTypes` alike. */
export function omitUndefined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}
