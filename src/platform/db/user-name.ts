import { existsSync, readdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** Folders of shared libraries: of 64-bit systems, and one per architecture below `/usr/lib`. */
const LIBRARY_FOLDERS = ['/usr/lib64', '/usr/lib', '/usr/local/lib']
const LIBRARY = 'libnss_wrapper.so'

/** Whether the system knows a name of the current user. A container may run with any number: `--user 12345`. */
function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

/**
 * Runs `work` with an environment in which the current user has a name. `initdb` refuses to run without one, and nothing else
 * does. The library `nss_wrapper` reads names from files, as the images of PostgreSQL do it.
 *
 * @param path Start of the names of temporary files.
 */
export async function withUserName<T>(
  path: string,
  work: (environment: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (hasName()) return await work({})
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const library = findLibrary()
  if (library === null) {
    throw new Error(
      `the user ${uid} has no name, which PostgreSQL needs to create a database: install ${LIBRARY} (Debian: libnss-wrapper), ` +
        'add the user to /etc/passwd, or set DATABASE_URL to your PostgreSQL',
    )
  }
  const files = { users: `${path}.users`, groups: `${path}.groups` }
  try {
    await writeFile(files.users, `plaza:x:${uid}:${gid}:plaza:/nonexistent:/bin/false\n`)
    await writeFile(files.groups, `plaza:x:${gid}:\n`)
    return await work({
      LD_PRELOAD: library,
      NSS_WRAPPER_PASSWD: files.users,
      NSS_WRAPPER_GROUP: files.groups,
    })
  } finally {
    await Promise.all(Object.values(files).map((file) => rm(file, { force: true })))
  }
}

function findLibrary(): string | null {
  const below = existsSync('/usr/lib') ? readdirSync('/usr/lib') : []
  const folders = [
    ...LIBRARY_FOLDERS,
    ...below.filter((name) => name.includes('-linux-')).map((name) => join('/usr/lib', name)),
  ]
  return folders.map((folder) => join(folder, LIBRARY)).find((path) => existsSync(path)) ?? null
}
