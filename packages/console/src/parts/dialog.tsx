import { Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'

/** A dialog above the page. Its title is no banner of the page, which the header of the library's dialog would be. */
export function Dialog({
  opened,
  onClose,
  title,
  closeOnClickOutside = true,
  children,
}: {
  opened: boolean
  onClose: () => void
  title: string
  closeOnClickOutside?: boolean
  children: ReactNode
}) {
  return (
    <Modal.Root opened={opened} onClose={onClose} closeOnClickOutside={closeOnClickOutside}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body pt="md">
          <Group justify="space-between" wrap="nowrap" mb="md">
            <Modal.Title>{title}</Modal.Title>
            <Modal.CloseButton aria-label="Close" />
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
