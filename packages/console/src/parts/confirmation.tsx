import { Button, Group, Stack } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { Dialog } from './dialog'
import { Problem } from './problem'

interface ConfirmationProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly mutation: Pick<
    UseMutationResult<unknown, Error, void>,
    'mutate' | 'reset' | 'isPending' | 'isError' | 'error'
  >
  /** Text of the button that does it. */
  readonly action: string
  /** Text of the button that leaves everything as it is. */
  readonly stay: string
  /** Whether it destroys something. */
  readonly isRed?: boolean
  readonly disabled?: boolean
  /** What it does. */
  readonly children: ReactNode
}

/** Asks before an action. It stays open until the action has succeeded, which two clicks do not begin twice. */
export function Confirmation(props: ConfirmationProps) {
  const { opened, onClose, title, mutation, action, stay, isRed = true, disabled = false, children } = props
  // The button shows that the action is pending only once the second click of a fast double click has come.
  const isBegun = useRef(false)
  function confirm() {
    if (isBegun.current) return
    isBegun.current = true
    mutation.mutate(undefined, {
      onSuccess: onClose,
      onSettled: () => {
        isBegun.current = false
      },
    })
  }
  function leave() {
    // It would seem not to happen.
    if (isBegun.current) return
    onClose()
    // What failed is no news when it is asked again.
    if (mutation.isError) mutation.reset()
  }
  return (
    <Dialog opened={opened} onClose={leave} title={title} hasOwnEnd={mutation.isPending}>
      <Stack>
        {children}
        <Problem error={mutation.error} />
        <Group>
          <Button
            color={isRed ? 'red.9' : undefined}
            loading={mutation.isPending}
            disabled={disabled}
            onClick={confirm}
          >
            {action}
          </Button>
          <Button variant="default" onClick={leave} disabled={mutation.isPending} data-autofocus>
            {stay}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
