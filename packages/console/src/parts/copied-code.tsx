import { Button, Code, CopyButton, Stack } from '@mantine/core'

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
      <CopyButton value={code}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}
