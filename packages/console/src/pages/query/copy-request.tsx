import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useState } from 'react'
import { curlOf, type Filled, fetchOf, sdkOf } from './request'

/** Copies a request as code. The key is a placeholder: the console has none. */
export function CopyRequest({ filled }: { filled: Filled }) {
  const clipboard = useClipboard()
  const [copied, setCopied] = useState('')
  const { origin } = window.location
  const codes = [
    { name: 'curl', code: curlOf(filled, origin) },
    { name: 'fetch', code: fetchOf(filled, origin) },
    { name: 'SDK', code: sdkOf(filled, origin) },
  ]
  return codes.map(({ name, code }) => (
    <Button
      key={name}
      variant="default"
      disabled={code === null}
      title={code === null ? 'The published client cannot send this' : undefined}
      onClick={() => {
        clipboard.copy(code)
        setCopied(name)
      }}
    >
      {clipboard.copied && copied === name ? `Copied ${name}` : `Copy as ${name}`}
    </Button>
  ))
}
