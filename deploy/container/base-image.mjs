// Makes a base image without a registry of images: Debian packages, Node.js and npm from their npm packages.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the build and the server need of a system: glibc, a shell, and the tools that the Dockerfile calls. */
const DEBIAN_PACKAGES = [
  'base-files',
  'base-passwd',
  'coreutils',
  'dash',
  'findutils',
  'libc-bin',
  'libstdc++6',
]
const DEBIAN_RELEASE = 'bookworm'
/** The version that the Dockerfile's own base has, with the npm that comes with it. */
const NODE_VERSION = '22'
const NPM_VERSION = '10'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const NPM = 'usr/local/lib/node_modules/npm'

/** Makes the image `name`, with its files below `directory`. */
export function makeBaseImage(name, directory) {
  const root = join(directory, 'root')
  run('mmdebstrap', [
    '--quiet',
    '--variant=extract',
    `--include=${DEBIAN_PACKAGES.join(',')}`,
    DEBIAN_RELEASE,
    root,
  ])
  addPackage(
    `node-linux-${process.arch}@${NODE_VERSION}`,
    directory,
    join(root, 'usr/local'),
    'package/bin/node',
  )
  addPackage(`npm@${NPM_VERSION}`, directory, join(root, NPM), 'package')
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  // The build installs from where this machine installs from, also where a proxy has a certificate of its own.
  mkdirSync(join(root, 'usr/local/etc'), { recursive: true })
  const settings = [`registry=${run('npm', ['config', 'get', 'registry']).trim()}`]
  if (existsSync(CERTIFICATES)) {
    mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true })
    copyFileSync(CERTIFICATES, join(root, CERTIFICATES))
    settings.push(`cafile=${CERTIFICATES}`)
  }
  writeFileSync(join(root, 'usr/local/etc/npmrc'), `${settings.join('\n')}\n`)

  const container = run('buildah', ['from', 'scratch']).trim()
  try {
    run('buildah', ['add', '--quiet', container, root, '/'])
    run('buildah', ['config', '--env', 'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container])
    run('buildah', ['commit', '--quiet', container, name])
  } finally {
    run('buildah', ['rm', container])
  }
}

/** Unpacks one path of a package of npm into a folder. */
function addPackage(specifier, directory, target, path) {
  const downloads = join(directory, specifier.replace(/\W/g, '-'))
  mkdirSync(downloads, { recursive: true })
  mkdirSync(target, { recursive: true })
  run('npm', ['pack', '--silent', '--pack-destination', downloads, specifier])
  const [archive] = readdirSync(downloads)
  run('tar', [
    '-xzf',
    join(downloads, archive),
    '-C',
    target,
    '--strip-components=1',
    '--no-same-owner',
    path,
  ])
}

function run(command, args) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
