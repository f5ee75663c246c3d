import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readTokenFile } from './token-files.js'

it.each([
  ['an empty first field', ',3,https://c.example/n,tok', ['', '3', 'https://c.example/n', 'tok']],
  ['empty fields in a row', '9,,,tok', ['9', '', '', 'tok']],
  ['an empty last field', '9,3,https://c.example/n,', ['9', '3', 'https://c.example/n', '']],
  ['quotes', '"9","3","https://c.example/a,b","to""k"', ['9', '3', 'https://c.example/a,b', 'to"k']],
])('a line of CSV with %s', async (_, line, [client_fid, fid, url, token]) => {
  const records = []
  for await (const { record } of readTokenFile(Readable.from([`client_fid,fid,url,token\n${line}\n`]))) {
    records.push(record)
  }
  expect(records).toEqual([{ client_fid, fid, url, token }])
})
