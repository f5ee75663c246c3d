import { expect, it } from 'vitest'
import { redactedUrls } from './redacted-urls.js'

it.each([
  ['no endpoint answers', 'no endpoint answers'],
  ['URL: https://rpc.example/v2/s3cret failed', 'URL: https://rpc.example/… failed'],
  ['http://user:pass@host:5432', 'http://host:5432/…'],
  ['https://user:p@ss@rpc.example/v2/KEY', 'https://rpc.example/…'],
  ['https://rpc.example/@user?mail=a@b.example', 'https://rpc.example/…'],
  ['https://rpc.example, wss://other.example?key=1', 'https://rpc.example, wss://other.example/…'],
  ["https://user:pa'ss@rpc.example/x", 'https://rpc.example/…'],
  ["'https://rpc.example/v2/a,KE'Y', then", "'https://rpc.example/…', then"],
  ['https://rpc.example/KEY,wss://other.example', 'https://rpc.example/…,wss://other.example'],
  ['at run (file:///srv/plaza/cli.js:10:5)', 'at run (file:///srv/plaza/cli.js:10:5)'],
])('%s -> %s', (text, expected) => {
  expect(redactedUrls(text)).toBe(expected)
})
