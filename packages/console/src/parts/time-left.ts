import { formatDuration } from './format'

/** How long the rest takes at the rate so far, in words; null where there is no rate yet. */
export function timeLeft({
  elapsedMs,
  done,
  rest,
}: {
  readonly elapsedMs: number
  readonly done: number
  readonly rest: number
}): string | null {
  if (done <= 0 || elapsedMs <= 0) return null
  return formatDuration(Math.ceil(((rest / done) * elapsedMs) / 1000) * 1000)
}
