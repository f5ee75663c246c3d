/** The same record type, with optional members instead of undefined ones. */
type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Removes undefined members, for JSON and `exactOptionalPropertyTypes`. */
export function omitUndefined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}
