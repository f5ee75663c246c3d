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
  const seconds = Math.ceil(((rest / done) * elapsedMs) / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  return `${Math.round(minutes / 60)} h`
}
