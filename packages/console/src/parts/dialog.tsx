import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'

/**
 * A dialog above the page. Its title is no banner of the page, which the header of the library's dialog would be. The first
 * field or button of its content gets the focus, or the one with `data-autofocus`: the safe one of a confirmation.
 */
export function Dialog({
  opened,
  onClose,
  title,
  hasOwnEnd = false,
  size = 'md',
  children,
}: {
  opened: boolean
  onClose: () => void
  title: string
  /** Only a button of the content closes it: what it shows, or is going to show, is never shown again. */
  hasOwnEnd?: boolean
  size?: 'md' | 'xl'
  children: ReactNode
}) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={!hasOwnEnd}
      closeOnEscape={!hasOwnEnd}
      size={size}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body pt="md" pos="relative">
          <Modal.Title mb="md" pr="xl">
            {title}
          </Modal.Title>
          {children}
          {/* Behind the content, which comes first for the keyboard. */}
          {!hasOwnEnd && <Modal.CloseButton aria-label="Close" pos="absolute" top={16} right={16} />}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
