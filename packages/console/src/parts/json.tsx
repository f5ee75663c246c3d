import { Code } from '@mantine/core'

/** A value as indented JSON; text that is JSON is indented, other text stays. It scrolls, also by keyboard. */
export function Json({ label, value }: { label: string; value: unknown }) {
  return (
    <Code
      block
      role="region"
      aria-label={label}
      tabIndex={0}
      w="100%"
      style={{ maxHeight: 320, overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
    >
      {typeof value === 'string' ? indented(value) : JSON.stringify(value, null, 2)}
    </Code>
  )
}

/** Indents text that is JSON; other text stays. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
