import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { configVariables } from '../../src/app/config/config.js'

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly command?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly deploy?: { readonly replicas: string }
  readonly logging?: { readonly options?: Readonly<Record<string, string>> }
  readonly healthcheck?: { readonly start_period?: string }
}

const text = readFileSync('compose.yaml', 'utf8')
const { services } = parse(text, { merge: true }) as { services: Readonly<Record<string, Service>> }
const example = readFileSync('deploy/compose/env.example', 'utf8')
const plazas = ['api', 'worker', 'sync'].map((role) => ({ role, ...services[role] }))

it('compose: each role is a service with variables that there are, and few rights', () => {
  const known = new Set(configVariables.map(({ name }) => name))
  for (const { role, environment = {}, read_only, cap_drop } of plazas) {
    expect(environment.ROLES).toBe(role)
    expect(Object.keys(environment).filter((name) => !known.has(name) && !name.startsWith('OTEL_'))).toEqual(
      [],
    )
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] })
  }
})

it('compose: every file that a service mounts is there', () => {
  const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes)
  const files = mounts.map((mount) => mount.split(':')[0] ?? '').filter((source) => source.startsWith('./'))
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

it('compose: passwords have no default, and the example asks for each of them', () => {
  const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
  const empty = new Set([...example.matchAll(/^(\w+)=$/gm)].map(([, name]) => name))
  expect(required).toEqual(empty)
  const withDefault = [...text.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name)
  expect(withDefault.filter((name) => /PASSWORD|SECRET|TOKEN/.test(name ?? ''))).toEqual([])
})

it.skipIf(spawnSync('openssl', ['version']).status !== 0)(
  'compose: the command of the guide makes passwords',
  () => {
    const [command = ''] = /(?<=^ {4})awk .*(?= > \.env$)/m.exec(readFileSync('docs/deploy.md', 'utf8')) ?? []
    const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
    const passwords = [...stdout.matchAll(/=([0-9a-f]{64})$/gm)].map(([, password]) => password)
    expect(passwords).toHaveLength([...example.matchAll(/=$/gm)].length)
    expect(new Set(passwords).size).toBe(passwords.length)
  },
)

it('compose: ports are published to this machine only, unless the operator says otherwise', () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports)
  const ports = published.map((port) => /^\$\{(\w+):-127\.0\.0\.1\}:\d+:(\d+)$/.exec(port)?.slice(1))
  // Who publishes the API does not publish Grafana with it.
  expect(ports).toEqual([
    ['BIND_ADDRESS', '8080'],
    ['BIND_ADDRESS', '3383'],
    ['GRAFANA_BIND_ADDRESS', '3000'],
  ])
  for (const name of ['BIND_ADDRESS', 'GRAFANA_BIND_ADDRESS']) {
    expect(example).toMatch(new RegExp(`^${name}=127\\.0\\.0\\.1$`, 'm'))
  }
})

it('compose: a replica that is away does not fill the disk of the primary', () => {
  expect(services.db?.command).toContainEqual(expect.stringMatching(/^--max_slot_wal_keep_size=\d+GB$/))
  const [slot] = /(?<=--slot )\w+/.exec(readFileSync('deploy/compose/start-replica.sh', 'utf8')) ?? []
  const guide = readFileSync('docs/deploy.md', 'utf8')
  for (const step of ['drop_replication_slot', 'create_physical_replication_slot']) {
    expect(guide).toContain(`docker compose exec db psql -U postgres -c "select pg_${step}('${slot}')"`)
  }
})

it('compose: the data of both databases is on their volumes, whatever version of PostgreSQL is chosen', () => {
  for (const name of ['db', 'db-replica']) {
    const { environment, volumes } = services[name] ?? {}
    expect(volumes).toContain(`${name}:${environment?.PGDATA}`)
  }
})

it('compose: a replica may take a volume that belongs to root: its script drops to the user of PostgreSQL', () => {
  expect(services['db-replica']).not.toHaveProperty('user')
})

it('compose: a database that recovers from a crash for minutes is waited for', () => {
  for (const name of ['db', 'db-replica']) expect(services[name]?.healthcheck?.start_period).toBe('30m')
})

it('compose: no log of a container and no metrics fill the disk', () => {
  for (const [name, { logging }] of Object.entries(services)) {
    expect(logging?.options, name).toEqual({ 'max-size': expect.any(String), 'max-file': expect.any(String) })
  }
  expect(services.prometheus?.command).toContainEqual(
    expect.stringMatching(/^--storage\.tsdb\.retention\.size=\d+GB$/),
  )
})

it('compose: the guide says how to change each password that counts at the first start alone', () => {
  const guide = readFileSync('docs/deploy.md', 'utf8')
  for (const role of ['postgres', 'plaza', 'replicator']) expect(guide).toContain(`'\\password ${role}'`)
  expect(guide).toContain('grafana cli admin reset-admin-password')
  expect(example.split('\n\n')[0]).toContain('docs/deploy.md')
})

it('compose: the guide waits for the database of a new machine before it restores into it', () => {
  const guide = readFileSync('docs/operate.md', 'utf8')
  expect(guide.match(/docker compose up -d[^`\n]* db`/g)).toEqual(['docker compose up -d --wait db`'])
})

it('the guide dumps the database of a container to a folder that stays', () => {
  const guide = readFileSync('docs/operate.md', 'utf8')
  const [command = '', script = ''] = /docker run --rm .*postgres:18 bash -ec '\n(.*?)'$/ms.exec(guide) ?? []
  expect(command).toContain('-v "$PWD:/dump"')
  expect(script).toContain('--file=/dump/')
  expect(spawnSync('bash', ['-n', '-c', script]).status).toBe(0)
})

it('compose: an upgrade keeps the number of processes: it is a variable of .env, and no option of a command', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Compose's.
  expect(services.api?.deploy?.replicas).toBe('${API_REPLICAS:-2}')
  expect(example).toMatch(/^API_REPLICAS=2$/m)
  const guides = ['deploy', 'operate', 'clusters'].map((name) => readFileSync(`docs/${name}.md`, 'utf8'))
  expect(guides.join('\n')).not.toMatch(/docker compose [^`\n]*--scale/)
})

it.each(['operate', 'deploy'])(
  'compose: %s.md makes the services anew whose files have changed, but for the databases',
  (name) => {
    const withFiles = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
      volumes.some((mount) => /^\.\/[^:]*\.\w+:/.test(mount)) && !name.startsWith('db') ? [name] : [],
    )
    const guide = readFileSync(`docs/${name}.md`, 'utf8')
    const [, named = ''] = /docker compose up -d --force-recreate --no-deps ([\w -]+)$/m.exec(guide) ?? []
    expect(named.split(' ').sort()).toEqual(withFiles.sort())
    expect(withFiles).toContain('haproxy')
  },
)

it('compose: an upgrade migrates while the old processes serve, and replaces all of them afterwards', () => {
  const [, section = ''] = readFileSync('docs/operate.md', 'utf8').split('### Upgrade with Compose')
  const commands = section.match(/(?<=^ {4})\S.*/gm)
  expect(commands?.slice(0, 3)).toEqual([
    'git pull && docker compose build',
    'docker compose run --rm --no-deps worker migrate',
    'docker compose up -d --no-deps worker sync api',
  ])
})

it('compose: HAProxy overwrites the address of the client in each frontend', () => {
  const sections = readFileSync('deploy/compose/haproxy.cfg', 'utf8').split(/^(?=\S)/m)
  const frontends = sections.filter((section) => section.startsWith('frontend '))
  expect(frontends).toHaveLength(2)
  for (const frontend of frontends) {
    expect(frontend).toMatch(/^ {2}http-request set-header X-Forwarded-For %\[src\]$/m)
  }
})

it.each([
  ['haproxy', ['-v'], ['-c', '-f', 'deploy/compose/haproxy.cfg']],
  ['promtool', ['--version'], ['check', 'config', '--syntax-only', 'deploy/compose/prometheus.yml']],
  ['bash', ['--version'], ['-n', 'deploy/compose/create-roles.sh', 'deploy/compose/start-replica.sh']],
] as const)('compose: %s accepts its file, where it is installed', (program, version, check) => {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  if (spawnSync(program, version, { env }).status !== 0) return
  const { status, stdout, stderr } = spawnSync(program, check, { env, encoding: 'utf8' })
  expect(status, `${stdout}${stderr}`).toBe(0)
})
