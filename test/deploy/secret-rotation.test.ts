import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createVault } from '../../src/platform/vault/vault.js'

it.each(['signers', 'operate'])(
  'docs/%s.md: at each step of a rotation processes of before and after it decrypt what the others encrypt',
  (name) => {
    const guide = readFileSync(`docs/${name}.md`, 'utf8')
    const set = [...guide.matchAll(/`PLAZA_SECRET_KEY=([a-z,]+)`/g)].map(([, keys = '']) => keys)
    const steps = ['old', ...set, 'new'].map((keys) => createVault(keys.split(',')))
    expect(set).toContain('new,old')
    for (const [index, before] of steps.slice(0, -1).entries()) {
      const after = steps[index + 1]!
      const secret = Buffer.from('a secret')
      const isRead = (writer: typeof after, reader: typeof after) =>
        reader.open(writer.seal(secret, 'signer'), 'signer').equals(secret)
      expect([isRead(before, after), isRead(after, before)]).toEqual([true, true])
    }
  },
)
