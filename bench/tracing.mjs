// What tracing costs: processor time of the server for each request, without a receiver of traces and with one at several
// sampling ratios. All servers run at once on one database and are asked in turn, so that other work of the machine meets
// all of them. Without a receiver stands there twice: what the two differ by is noise.
//
//     npm run bench:tracing                       # 9 rounds of 3,000 requests each
//     npm run bench:tracing -- --rounds 15 --requests 5000
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { query } from './database.mjs'
import { openProcess, startPlaza } from './plaza-process.mjs'
import { quantile } from './quantiles.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '3000' },
    users: { type: 'string', default: '150' },
  },
})
const CONNECTIONS = 8
const KEY = 'a-key-of-the-bench-of-tracing'

const receiver = createServer((request, reply) => {
  request.resume().on('end', () => reply.end())
})
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const endpoint = `http://127.0.0.1:${receiver.address().port}`

const ratio = (part) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: part,
})
const ways = {
  off: {},
  'off again': {},
  'ratio 0': ratio('0'),
  'ratio 0.01': ratio('0.01'),
  'ratio 1': ratio('1'),
}

const base = await startPlaza({ env: { PLAZA_DEV_API_KEY: KEY, DATABASE_POOL: '70' } })
const servers = []
try {
  await fillNetwork()
  for (const [name, env] of Object.entries(ways)) {
    const server = await openProcess(base.dataDir, {
      DATABASE_URL: base.databaseUrl,
      ROLES: 'api',
      DATABASE_POOL: '11',
      ...env,
    })
    servers.push({ name, server, cpu: new Map() })
  }
  const fids = (await query(base.databaseUrl, 'select fid from social.users order by fid')).map(
    ({ fid }) => fid,
  )
  const pages = {
    'a cached user (no statement)': (fid) => `user/bulk?fids=${fid}`,
    'a name (1 statement)': (fid) => `fname/availability?fname=n${fid}`,
  }
  for (const [title, pathOf] of Object.entries(pages)) await measure(title, pathOf, fids)
} finally {
  for (const { server } of servers) await server.end()
  await base.stop()
  receiver.close()
}

/** Rows that the pages read; no messages, which would have to be signed. */
async function fillNetwork() {
  const users = Number(values.users)
  await query(
    base.databaseUrl,
    `insert into social.users (fid, custody_address, registered_at, username)
     select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1700000000, 'user' || n
     from generate_series(1, ${users}) n
     on conflict do nothing`,
  )
}

async function measure(title, pathOf, fids) {
  for (const { server } of servers) await ask(server, pathOf, fids)
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Each round begins with another server.
    const order = servers.map((_, index) => servers[(index + round) % servers.length])
    for (const { server, cpu } of order) {
      const before = await cpuMicroseconds(server.pid)
      await ask(server, pathOf, fids)
      const taken = (await cpuMicroseconds(server.pid)) - before
      cpu.set(title, [...(cpu.get(title) ?? []), taken / Number(values.requests)])
    }
  }
  console.log(title)
  for (const { name, cpu } of servers) {
    const sorted = cpu.get(title).sort((a, b) => a - b)
    const median = quantile(sorted, 0.5)
    console.log(
      `  ${name.padEnd(12)} ${median.toFixed(0).padStart(6)} µs a request (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`,
    )
  }
}

async function ask({ url }, pathOf, fids) {
  let left = Number(values.requests)
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const path = pathOf(Number(fids[left % fids.length]))
      const reply = await fetch(`${url}/v2/farcaster/${path}`, { headers: { 'x-api-key': KEY } })
      await reply.arrayBuffer()
      if (reply.status !== 200) throw new Error(`${path} replied ${reply.status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** Processor time of a process so far, in the hundredths of a second that Linux counts. */
async function cpuMicroseconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
