import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BARE_ROUTE = new URL('./bare-route.mjs', import.meta.url).pathname

/**
 * Starts a bare Fastify route that sends these pages from memory: `/pages/0`, `/pages/1`, …
 *
 * @param {readonly Buffer[]} pages
 */
export async function startBareRoute(pages) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-pages-'))
  const file = join(folder, 'pages.bin')
  await writeFile(file, Buffer.concat(pages.flatMap((page) => [lengthOf(page), page])))
  const child = spawn(process.execPath, [BARE_ROUTE, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => resolve(/listening on (\S+)/.exec(`${chunk}`)?.[1]))
    child.once('error', reject)
    child.once('close', () => reject(new Error('the bare route ended')))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @param {Buffer} page */
function lengthOf(page) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(page.length)
  return length
}
