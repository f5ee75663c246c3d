/** A member of an answer that is not what version 0.1.0 answered. */
export interface Difference {
  readonly caller: string
  /** Path and query of the request. */
  readonly request: string
  /** Path of the member, such as `users.3.follower_count`. */
  readonly member: string
  readonly before: unknown
  readonly now: unknown
}

type Found = Pick<Difference, 'member' | 'before' | 'now'>

/** Returns the members of an old answer that are missing or different in a new one. Further members are no difference. */
export function compareMembers(before: unknown, now: unknown, member = ''): Found[] {
  if (Array.isArray(before) && Array.isArray(now)) {
    const lengths = before.length === now.length ? [] : [length(member, before, now)]
    return [
      ...lengths,
      ...before.slice(0, now.length).flatMap((each, at) => compareMembers(each, now[at], join(member, at))),
    ]
  }
  if (isObject(before) && isObject(now)) {
    return Object.entries(before).flatMap(([name, each]) =>
      compareMembers(each, now[name], join(member, name)),
    )
  }
  return Object.is(before, now) ? [] : [{ member, before, now }]
}

function length(member: string, before: readonly unknown[], now: readonly unknown[]): Found {
  return { member: join(member, 'length'), before: before.length, now: now.length }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function join(member: string, name: string | number): string {
  return member === '' ? `${name}` : `${member}.${name}`
}
