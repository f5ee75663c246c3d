import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { box, mp4 } from './testing/video-bytes.js'
import { readMp4, readPlaylist } from './video.js'

describe('readMp4', () => {
  it('reads duration, and codec and size of the video track', () => {
    expect(readMp4(mp4({ width: 1280, height: 720, durationMs: 12_345 }))).toEqual({
      duration_s: 12.345,
      stream: [{ codec_name: 'h264', width_px: 1280, height_px: 720 }],
    })
  })

  it('reads what the given bytes contain', () => {
    const bytes = mp4({ width: 1280, height: 720, durationMs: 1_000 })
    expect(readMp4(bytes.subarray(0, 140))).toEqual({ duration_s: 1 })
    expect(readMp4(bytes.subarray(0, 20))).toEqual({})
    expect(readMp4(Buffer.concat([box('ftyp'), box('mdat', Buffer.alloc(100))]))).toEqual({})
  })

  it('accepts any bytes', () => {
    const whole = mp4({ width: 1280, height: 720, durationMs: 1_000, codec: 'hvc1' })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 20 }), (changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of changes) bytes[at] = value
        const { duration_s = 1, stream = [] } = readMp4(bytes)
        expect(duration_s).toBeGreaterThan(0)
        for (const size of stream.flatMap(({ width_px, height_px }) => [width_px, height_px])) {
          if (size !== undefined) expect(Number.isInteger(size)).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes linear time for nested boxes', () => {
    const film = box('moov', ...Array.from({ length: 50_000 }, () => box('trak')))
    expect(readMp4(film)).toEqual({})
  })
})

describe('readPlaylist', () => {
  it('reads sizes and codecs of renditions', () => {
    const text = [
      '#EXTM3U',
      '#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="mp4a.40.2,avc1.4d401f",RESOLUTION=1280x720',
      'a.m3u8',
      '#EXT-X-STREAM-INF:RESOLUTION=640x360,BANDWIDTH=1',
      'b.m3u8',
    ].join('\r\n')
    expect(readPlaylist(text, true)).toEqual({
      stream: [
        { codec_name: 'h264', width_px: 1280, height_px: 720 },
        { width_px: 640, height_px: 360 },
      ],
    })
  })

  it('reads the duration of a complete playlist', () => {
    const segments = '#EXTM3U\n#EXTINF:9.009,\na.ts\n#EXTINF:3.5,\nb.ts\n'
    expect(readPlaylist(`${segments}#EXT-X-ENDLIST`, true)).toEqual({ duration_s: 12.509 })
    expect(readPlaylist(`${segments}#EXT-X-ENDLIST`, false)).toEqual({})
    expect(readPlaylist(segments, true)).toEqual({})
  })

  it('refuses other texts', () => {
    expect(readPlaylist('<html></html>', true)).toBeUndefined()
    expect(readPlaylist('', true)).toBeUndefined()
  })
})
