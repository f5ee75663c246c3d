import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createApiKeyCache } from './api-key-cache.js'
import { createApiKey, createDevelopmentKey, listApiKeys, revokeApiKey } from './api-keys.js'
import { createApp, ensureApp, listApps } from './apps.js'

const { db, connect } = await createTestDatabase()

/** A key cache whose clock and statements the test observes. */
function openApiKeyCache() {
  const statements: string[] = []
  const own = connect({ onStatement: (sql) => statements.push(sql) })
  const time = { now: Date.UTC(2026, 0, 1, 12, 30, 45) }
  return { apiKeyCache: createApiKeyCache(own, () => time.now), time, statements }
}

describe('createDevelopmentKey', () => {
  it('concurrent starts create one key', async () => {
    const made = await Promise.all([createDevelopmentKey(db), createDevelopmentKey(db, 'chosen-key')])
    expect(made.filter((key) => key !== null)).toHaveLength(1)
    expect(await createDevelopmentKey(db, 'another-key')).toBeNull()
    expect(await listApps(db)).toMatchObject([{ name: 'development', keys: 1 }])
  })

  it('revoked keys -> not created again', async () => {
    for (const { id } of await listApiKeys(db)) await revokeApiKey(db, id)
    expect(await createDevelopmentKey(db)).toBeNull()
  })
})

describe('ensureApp', () => {
  it('creates one app per name', async () => {
    const { id } = await createApp(db, { name: 'reader' })
    await expect(createApp(db, { name: 'reader' })).rejects.toMatchObject({
      code: 'conflict',
      property: 'name',
    })
    expect(await ensureApp(db, 'reader')).toBe(id)
  })
})

describe('listApps', () => {
  it('lists every name once on pages of any size', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    const names = fc
      .sample(text, 300)
      .filter((name) => name.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    for (const name of names) await ensureApp(db, name)
    const all = (await listApps(db)).map(({ name }) => name)
    expect(all.length).toBeGreaterThan(200)
    expect(new Set(all)).toEqual(new Set([...all, ...names.map((name) => name.normalize('NFC').trim())]))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (limit) => {
        const paged: string[] = []
        for (;;) {
          const page = await listApps(db, { limit, after: paged.at(-1) ?? null })
          paged.push(...page.map(({ name }) => name))
          if (page.length < limit) break
        }
        expect(paged).toEqual(all)
      }),
      { numRuns: 20 },
    )
  })
})

describe('API key', () => {
  it('is 256 random bits; the database stores a hash and a prefix', async () => {
    const appId = await ensureApp(db, 'hashed')
    const { key } = await createApiKey(db, { appId })
    expect(key).toMatch(/^plaza_[\w-]{43}$/)
    const rows = await db`select * from apps.api_keys where app_id = ${appId}`
    expect(JSON.stringify(rows)).not.toContain(key)
    expect((await listApiKeys(db)).find(({ app }) => app === 'hashed')).toMatchObject({
      prefix: key.slice(0, 12),
      rateLimit: null,
      lastUsedAt: null,
      revokedAt: null,
    })
  })

  it('a short chosen key has a shorter prefix', async () => {
    const appId = await ensureApp(db, 'short keys')
    const { prefix } = await createApiKey(db, { appId, key: 'short-key' })
    expect(prefix).toBe('sh')
  })

  it('finds its app and rate limit', async () => {
    const { apiKeyCache } = openApiKeyCache()
    const appId = await ensureApp(db, 'limited')
    const { key } = await createApiKey(db, { appId, rateLimit: 60 })
    expect(await apiKeyCache.find(key)).toMatchObject({ appId, rateLimit: 60 })
    for (const unknownKeys of ['', key.slice(0, -1), `${key} `, key.toUpperCase(), 'x'.repeat(100_000)]) {
      expect(await apiKeyCache.find(unknownKeys)).toBeNull()
    }
  })

  it('is revoked once', async () => {
    const { key } = await createApiKey(db, { appId: await ensureApp(db, 'revoked') })
    const { id } = (await listApiKeys(db)).find(({ app }) => app === 'revoked')!
    const first = await revokeApiKey(db, id)
    expect(first).toMatchObject({ isNew: true, key: { id, revokedAt: expect.any(Date) } })
    expect(await revokeApiKey(db, id)).toEqual({ ...first, isNew: false })
    expect(await revokeApiKey(db, 2_147_483_647)).toBeNull()
    expect(await openApiKeyCache().apiKeyCache.find(key)).toBeNull()
  })
})

describe('createApiKeyCache', () => {
  it('one query per key and second', async () => {
    const { apiKeyCache, time, statements } = openApiKeyCache()
    const { key } = await createApiKey(db, { appId: await ensureApp(db, 'busy') })
    await Promise.all(Array.from({ length: 50 }, () => apiKeyCache.find(key)))
    time.now += 999
    await apiKeyCache.find(key)
    expect(statements).toHaveLength(1)
    time.now += 1
    await apiKeyCache.find(key)
    expect(statements).toHaveLength(2)
  })

  it('an app that is named by its id in upper case has the id of the database', async () => {
    const appId = await ensureApp(db, 'client')
    expect(await openApiKeyCache().apiKeyCache.findClient(appId.toUpperCase())).toMatchObject({ appId })
  })

  it('caches a bounded number of invalid keys', async () => {
    const { apiKeyCache, statements } = openApiKeyCache()
    await apiKeyCache.find('first')
    await Promise.all(Array.from({ length: 10_000 }, (_, index) => apiKeyCache.find(`wrong ${index}`)))
    await apiKeyCache.find('wrong 9999')
    expect(statements).toHaveLength(10_001)
    await apiKeyCache.find('first')
    expect(statements).toHaveLength(10_002)
  })

  it('retries after a database error', async () => {
    const { apiKeyCache } = openApiKeyCache()
    const { key } = await createApiKey(db, { appId: await ensureApp(db, 'patient') })
    await db`alter table apps.api_keys rename to away`
    await expect(apiKeyCache.find(key)).rejects.toThrow()
    await db`alter table apps.away rename to api_keys`
    expect(await apiKeyCache.find(key)).not.toBeNull()
  })

  it('looks a key up anew when the clock has gone back', async () => {
    const { apiKeyCache, time } = openApiKeyCache()
    const { key, id } = await createApiKey(db, { appId: await ensureApp(db, 'revoked') })
    expect(await apiKeyCache.find(key)).not.toBeNull()
    await db`update apps.api_keys set revoked_at = now() where id = ${id}`
    time.now -= 3_600_000
    expect(await apiKeyCache.find(key)).toBeNull()
  })

  it('saveLastUsed: writes minutes and never goes back', async () => {
    const { apiKeyCache, time } = openApiKeyCache()
    const { key } = await createApiKey(db, { appId: await ensureApp(db, 'used') })
    const lastUse = async () => (await listApiKeys(db)).find(({ app }) => app === 'used')?.lastUsedAt
    await apiKeyCache.saveLastUsed(db)
    expect(await lastUse()).toBeNull()
    await apiKeyCache.find(key)
    await apiKeyCache.saveLastUsed(db)
    expect(await lastUse()).toEqual(new Date('2026-01-01T12:30:00Z'))
    time.now -= 3_600_000
    await apiKeyCache.find(key)
    await apiKeyCache.saveLastUsed(db)
    expect(await lastUse()).toEqual(new Date('2026-01-01T12:30:00Z'))
  })

  it('saveLastUsed: writes later what it could not write', async () => {
    const { apiKeyCache } = openApiKeyCache()
    const { key } = await createApiKey(db, { appId: await ensureApp(db, 'used once') })
    await apiKeyCache.find(key)
    await db`alter table apps.api_keys rename to away`
    await expect(apiKeyCache.saveLastUsed(db)).rejects.toThrow()
    await db`alter table apps.away rename to api_keys`
    await apiKeyCache.saveLastUsed(db)
    const used = (await listApiKeys(db)).find(({ app }) => app === 'used once')
    expect(used?.lastUsedAt).toEqual(new Date('2026-01-01T12:30:00Z'))
  })
})
