/** A point in time, in the time of the reader; exactly when it is pointed at. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {formatter.format(new Date(at))}
    </time>
  )
}

const formatter = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
