import { Anchor, Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

/** A link to a page of the console. */
export const AnchorLink = createLink(Anchor<'a'>)

/** A link to a page of the console that looks like a button. */
export const ButtonLink = createLink(Button<'a'>)
