import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { measureImage } from './image-size.js'
import { gif, heif, jpeg, png, svg, webp } from './testing/image-bytes.js'

it.each([
  ['image/png', png(640, 480)],
  ['image/gif', gif(640, 480)],
  ['image/jpeg', jpeg(640, 480)],
  ['image/webp', webp(640, 480)],
  ['image/heif', heif(640, 480)],
  ['image', heif(640, 480, { brand: 'avif', tiles: 1 })],
  ['image/svg+xml', svg(640, 480)],
])('measureImage: %s', (kind, bytes) => {
  expect(measureImage(bytes)).toEqual({ kind, size: { width_px: 640, height_px: 480 } })
})

it('measureImage: applies EXIF orientation', () => {
  const bytes = jpeg(640, 480, { orientation: 6 })
  expect(measureImage(bytes)?.size).toEqual({ width_px: 480, height_px: 640 })
})

it('measureImage: finds the size behind a 200 KB color profile', () => {
  expect(measureImage(jpeg(640, 480, { padding: 200_000 }))?.size).toEqual({ width_px: 640, height_px: 480 })
})

it.each([
  ['fill bytes', 'ffff'],
  ['zeros', '0000000000'],
  ['a restart and stuffed zeros', 'ffd0ff00ff00'],
  ['a segment without content', 'ffec0002'],
  ['tables of Huffman codes', 'ffc400050000000000'],
])('measureImage: finds the size of a JPEG behind %s', (_, between) => {
  const bytes = jpeg(640, 480, { orientation: 6, between: Buffer.from(between, 'hex') })
  expect(measureImage(bytes)?.size).toEqual({ width_px: 480, height_px: 640 })
})

it('measureImage: knows all frames of JPEG, and ends at the first scan', () => {
  const withFrame = (marker: number) => {
    const bytes = jpeg(640, 480)
    bytes[bytes.lastIndexOf(0xff) + 1] = marker
    return measureImage(bytes)?.size.width_px
  }
  for (const marker of [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xcf]) expect(withFrame(marker)).toBe(640)
  for (const marker of [0xc4, 0xc8, 0xcc, 0xd9, 0xda]) expect(withFrame(marker)).toBeUndefined()
  const scan = Buffer.from('ffda0002', 'hex')
  expect(measureImage(jpeg(640, 480, { between: scan }))).toBeUndefined()
})

it.each([
  ['zeros', Buffer.alloc(262_144)],
  ['empty segments', Buffer.from('ffe00002'.repeat(65_536), 'hex')],
])('measureImage: a JPEG of %s takes no object for each byte', (_, content) => {
  const parts = [vi.spyOn(Uint8Array.prototype, 'subarray'), vi.spyOn(Uint8Array.prototype, 'slice')]
  const measured = measureImage(Buffer.concat([Buffer.from([0xff, 0xd8]), content]))
  const count = parts.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  for (const part of parts) part.mockRestore()
  expect(measured).toBeUndefined()
  expect(count).toBeLessThan(100)
})

it('measureImage: reads sizes of HEIF in the first 8 KiB only', () => {
  expect(measureImage(heif(640, 480, { tiles: 300 }))?.size.width_px).toBe(640)
  expect(measureImage(heif(640, 480, { tiles: 400 }))).toBeUndefined()
})

it('measureImage: truncated images have no size, and no memory behind them is read', () => {
  const behind = Buffer.concat([gif(640, 480), Buffer.alloc(100, 7)])
  expect(measureImage(behind.subarray(0, 7))).toBeUndefined()
  expect(measureImage(png(640, 480).subarray(0, 18))).toBeUndefined()
  expect(measureImage(png(0, 480))).toBeUndefined()
})

it('measureImage: accepts any bytes, also after an image signature', () => {
  const signatures = [
    png(1, 1),
    gif(1, 1),
    jpeg(1, 1),
    webp(1, 1),
    svg(1, 1),
    Buffer.from('\0\0\0\x18ftypheic'),
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...signatures),
      fc.nat(40),
      fc.uint8Array({ maxLength: 400 }),
      (start, length, rest) => {
        const measured = measureImage(Buffer.concat([start.subarray(0, length), rest]))
        if (measured === undefined) return
        expect(measured.size.width_px).toBeGreaterThan(0)
        expect(measured.size.height_px).toBeGreaterThan(0)
      },
    ),
    { numRuns: 2_000 },
  )
})

it('measureImage: is fast for adversarial images', () => {
  const boxOfNothing = Buffer.from('00000014697370650000000000000001', 'hex')
  const heif = Buffer.concat([
    Buffer.from('000000186674797068656963000000006d69663168656963', 'hex'),
    ...Array.from({ length: 50_000 }, () => boxOfNothing),
  ])
  const drawing = Buffer.from('<svg "'.repeat(200_000))
  const photograph = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1]), Buffer.alloc(1_000_000)])
  for (const bytes of [heif, drawing, photograph]) expect(measureImage(bytes)).toBeUndefined()
})
