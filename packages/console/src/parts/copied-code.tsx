import { Code, Stack } from '@mantine/core'
import { CopyButton } from './copy-button'

/** Code, or a secret, to copy. */
export function CopiedCode({ label, code }: { label: string; code: string }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Code
        block
        w="100%"
        role="region"
        aria-label={label}
        tabIndex={0}
        style={{ overflowX: 'auto', maxHeight: 420 }}
      >
        {code}
      </Code>
      <CopyButton text={code} size="xs" />
    </Stack>
  )
}
