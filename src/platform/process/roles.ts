/** Roles of a process. A process may have several roles, and a role may have any number of processes. */
export const roles = ['api', 'worker', 'sync'] as const
export type Role = (typeof roles)[number]

/** Tasks of a process with a role, for the documentation. */
export const roleTasks: Readonly<Record<Role, string>> = {
  api: 'serves requests and merges',
  worker: 'consumes the event log, delivers and runs jobs',
  sync: 'follows upstreams and chains',
}

/** Whether a process with these roles renders views: for replies, or for what it sends. */
export function rendersViews(ofProcess: ReadonlySet<Role>): boolean {
  return ofProcess.has('api') || ofProcess.has('worker')
}

/** Reads a list of roles between commas: `api,worker`. Each name is checked by the configuration. */
export function parseRoles(text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim())
  return new Set(roles.filter((role) => names.includes(role)))
}
