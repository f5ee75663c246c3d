import { Button, type ButtonProps, Textarea } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

/** How long the button says that it has copied. */
const COPIED_MS = 1_000

/** Copies a text. Where the browser refuses, it shows the text, to copy by hand. */
export function CopyButton({
  text,
  children = 'Copy',
  copied = 'Copied',
  ...button
}: ButtonProps & { text: string; title?: string | undefined; children?: string; copied?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (state === 'refused') field.current?.select()
    if (state !== 'copied') return
    const timer = setTimeout(() => setState('idle'), COPIED_MS)
    return () => clearTimeout(timer)
  }, [state])
  /** Pages of plain http, which a private network may use, have no clipboard. */
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      setState('refused')
    }
  }
  return (
    <>
      <Button variant="default" {...button} onClick={copy}>
        {state === 'copied' ? copied : children}
      </Button>
      {state === 'refused' && (
        <Textarea ref={field} label="Copy it by hand" value={text} readOnly autosize maxRows={8} w="100%" />
      )}
    </>
  )
}
