// What compressing and tagging a page costs: processor time of one page, and its bytes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import zlib from 'node:zlib'

const file = process.argv[2]
const page = file === undefined ? generatedPage() : readFileSync(file)
const quality = (level) => ({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } })
const ways = {
  'entity tag (SHA-1)': () => createHash('sha1').update(page).digest('base64url'),
  'brotli 1': () => zlib.brotliCompressSync(page, quality(1)),
  'brotli 4': () => zlib.brotliCompressSync(page, quality(4)),
  'gzip 1': () => zlib.gzipSync(page, { level: 1 }),
  'gzip 6': () => zlib.gzipSync(page, { level: 6 }),
}

console.log(`a page of ${page.length.toLocaleString('en-US')} bytes`)
for (const [name, run] of Object.entries(ways)) {
  for (let round = 0; round < 300; round += 1) run()
  const times = []
  for (let round = 0; round < 9; round += 1) {
    const before = process.cpuUsage()
    for (let count = 0; count < 200; count += 1) run()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000 / 200)
  }
  times.sort((a, b) => a - b)
  const result = run()
  const size = Buffer.isBuffer(result) ? `${result.length.toLocaleString('en-US')} bytes` : ''
  console.log(`  ${name.padEnd(20)} ${times[4].toFixed(3)} ms  ${size}`)
}

/** Casts of 25 authors with names, pictures and texts that repeat as those of a feed do. */
function generatedPage() {
  const words =
    'the garden seeds rain soil 🌱 tomato today bread morning river friends 日本 music walk'.split(' ')
  const text = (n) => Array.from({ length: 24 }, (_, k) => words[(n * 7 + k * k) % words.length]).join(' ')
  const hex = (n, length) => createHash('sha512').update(String(n)).digest('hex').slice(0, length)
  const casts = Array.from({ length: 25 }, (_, n) => ({
    object: 'cast',
    hash: `0x${hex(n, 40)}`,
    author: {
      object: 'user',
      fid: 1000 + n,
      username: `user${hex(n, 6)}`,
      display_name: text(n).slice(0, 20),
      custody_address: `0x${hex(n + 100, 40)}`,
      pfp_url: `https://pictures.example/${hex(n, 24)}.png`,
      profile: { bio: { text: text(n + 3), mentioned_profiles: [], mentioned_profiles_ranges: [] } },
      follower_count: n * 37,
      following_count: n * 11,
      verifications: [`0x${hex(n + 200, 40)}`],
      verified_addresses: { eth_addresses: [`0x${hex(n + 200, 40)}`], sol_addresses: [], primary: {} },
      viewer_context: { following: n % 2 === 0, followed_by: false, blocking: false, blocked_by: false },
    },
    thread_hash: `0x${hex(n, 40)}`,
    parent_url: null,
    text: text(n),
    timestamp: new Date(1_790_000_000_000 - n * 7_000_000).toISOString(),
    embeds: [{ url: `https://pages.example/${hex(n, 12)}` }],
    reactions: { likes_count: n * 3, recasts_count: n, likes: [], recasts: [] },
    replies: { count: n },
    mentioned_profiles: [],
    viewer_context: { liked: n % 3 === 0, recasted: false },
  }))
  return Buffer.from(JSON.stringify({ casts, next: { cursor: hex('cursor', 60) } }))
}
