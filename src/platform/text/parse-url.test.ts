import { expect, it } from 'vitest'
import { parseUrl } from './parse-url.js'

it.each([
  ['https://läden.example/für?q=é', undefined, 'https://xn--lden-loa.example/f%C3%BCr?q=%C3%A9'],
  ['https://example.com/日本', undefined, 'https://example.com/%E6%97%A5%E6%9C%AC'],
  ['../é', 'https://example.com/a/b', 'https://example.com/%C3%A9'],
  ['../é', undefined, undefined],
  ['https://', undefined, undefined],
  ['', undefined, undefined],
])('%s of %s -> %s', (text, base, href) => {
  expect(parseUrl(text, base)?.href).toBe(href)
})

/** Calls after which V8 has compiled a function, and calls natives by another way. */
const MANY_CALLS = 50_000

it('says the same of a URL however often it is asked', () => {
  const answers = new Set<string | undefined>()
  for (let call = 0; call < MANY_CALLS; call += 1) answers.add(parseUrl('https://läden.example/é')?.hostname)
  expect([...answers]).toEqual(['xn--lden-loa.example'])
})
