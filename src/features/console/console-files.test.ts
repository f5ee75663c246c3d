import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { readConsoleFiles } from './console-files.js'

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plaza-console-files-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

it('the built console: its page, and its files with their types', async () => {
  const directory = await emptyDirectory()
  await mkdir(join(directory, 'assets'))
  await writeFile(join(directory, 'index.html'), '<p>page</p>')
  const names = ['main-1.js', 'main-1.css', 'logo.svg', 'text.woff2', 'main.js.map']
  for (const name of names) await writeFile(join(directory, 'assets', name), name)
  const { page, assets } = readConsoleFiles(pathToFileURL(`${directory}/`))!
  expect(page).toBe('<p>page</p>')
  expect(Object.fromEntries([...assets].map(([name, { type }]) => [name, type]))).toEqual({
    'main-1.js': 'text/javascript; charset=utf-8',
    'main-1.css': 'text/css; charset=utf-8',
    'logo.svg': 'image/svg+xml',
    'text.woff2': 'font/woff2',
    'main.js.map': 'application/octet-stream',
  })
  expect(assets.get('main-1.js')!.bytes.toString()).toBe('main-1.js')
})

it('a console that was not built: null', async () => {
  expect(readConsoleFiles(pathToFileURL(`${await emptyDirectory()}/`))).toBeNull()
})
