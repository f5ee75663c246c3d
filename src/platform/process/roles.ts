/** Roles of a process. A process may have several roles, and a role may have any number of processes. */
export const roles = ['api', 'worker', 'sync'] as const
export type Role = (typeof roles)[number]

/** Reads a list of roles between commas: `api,worker`. Each name is checked by the configuration. */
export function parseRoles(text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim())
  return new Set(roles.filter((role) => names.includes(role)))
}
