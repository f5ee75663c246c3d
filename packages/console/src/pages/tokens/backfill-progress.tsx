import { Badge, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Schemas } from '../../api'
import { timeLeft } from '../../parts/time-left'

/** How far the history of a token is read, and how long the rest takes at the rate so far. */
export function BackfillProgress({ token: { symbol, backfill } }: { token: Schemas['TrackedToken'] }) {
  const left = useTimeLeft(backfill.progress)
  if (backfill.state === 'done')
    return (
      <Badge variant="dot" color="green">
        complete
      </Badge>
    )
  if (backfill.state === 'waiting')
    return (
      <Badge variant="dot" color="yellow">
        looking for its first block
      </Badge>
    )
  const percent = Math.floor(backfill.progress * 100)
  return (
    <Stack gap={4}>
      <Progress value={percent} aria-label={`Backfill of ${symbol}`} />
      <Text size="sm">{`${percent} %${left === null ? '' : `, about ${left} left`}`}</Text>
    </Stack>
  )
}

/** From what changed since the page was opened. */
function useTimeLeft(progress: number): string | null {
  const start = useRef<{ readonly atMs: number; readonly progress: number } | null>(null)
  const [left, setLeft] = useState<string | null>(null)
  useEffect(() => {
    const nowMs = Date.now()
    start.current ??= { atMs: nowMs, progress }
    const { atMs, progress: first } = start.current
    setLeft(timeLeft({ elapsedMs: nowMs - atMs, done: progress - first, rest: 1 - progress }))
  }, [progress])
  return left
}
