import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useRef } from 'react'
import { LiveStatus } from './live'
import { AppSelect } from './selected-app'
import { endSession } from './session'

const pages = [
  { to: '/', label: 'Overview' },
  { to: '/events', label: 'Events' },
  { to: '/apps', label: 'Apps and keys' },
  { to: '/users', label: 'Users and casts' },
  { to: '/channels', label: 'Channels' },
  { to: '/moderation', label: 'Moderation' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/mini-apps', label: 'Mini apps' },
  { to: '/accounts', label: 'Accounts' },
  { to: '/tokens', label: 'Tokens' },
  { to: '/query', label: 'Query' },
  { to: '/system', label: 'System' },
  { to: '/audit-log', label: 'Audit log' },
] as const

/** The frame of all pages: navigation, color scheme, sign-out. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const burger = useRef<HTMLButtonElement>(null)
  const main = useRef<HTMLElement>(null)
  const signingOut = useSignOut()
  function closeByKey({ key }: KeyboardEvent) {
    if (key !== 'Escape' || !isOpen) return
    close()
    burger.current?.focus()
  }
  /** On a phone the chosen link is hidden with the menu. */
  function leaveMenu() {
    if (isOpen) main.current?.focus()
    close()
  }
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
      onKeyDown={closeByKey}
    >
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
            />
            <Text component={Link} to="/" fw={700} c="inherit" td="none">
              Plaza
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LiveStatus />
            <Group gap="xs" wrap="nowrap" visibleFrom="sm">
              <AppSelect width={150} />
              <ColorScheme />
              <SignOut signingOut={signingOut} />
            </Group>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        aria-label="Pages"
        style={{ overflowY: 'auto' }}
        data-closed={!isOpen || undefined}
      >
        <Stack gap="xs" pb="xs" hiddenFrom="sm">
          <AppSelect width="100%" />
          <Group gap="xs">
            <ColorScheme />
            <SignOut signingOut={signingOut} />
          </Group>
        </Stack>
        {pages.map(({ to, label }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
            onClick={leaveMenu}
          />
        ))}
      </AppShell.Navbar>
      {/* On a phone the open menu covers it: what has the focus must be seen. */}
      <AppShell.Main ref={main} id="main" tabIndex={-1} onFocus={close}>
        <StillSignedIn signingOut={signingOut} />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme()
  const next = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={`Use ${next} colors`}
      onClick={() => setColorScheme(next)}
    >
      {next === 'dark' ? '☾' : '☀'}
    </ActionIcon>
  )
}

type SigningOut = ReturnType<typeof useSignOut>

function useSignOut() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: endSession,
    onSuccess: async () => {
      await navigate({ to: '/sign-in' })
      queries.clear()
    },
  })
}

function SignOut({ signingOut }: { signingOut: SigningOut }) {
  return (
    <Button variant="default" size="xs" loading={signingOut.isPending} onClick={() => signingOut.mutate()}>
      Sign out
    </Button>
  )
}

/** The session stays usable by the next user of this browser: that must not go unnoticed. */
function StillSignedIn({ signingOut }: { signingOut: SigningOut }) {
  if (signingOut.error === null) return null
  return (
    <Alert color="red" role="alert" mb="md" title="You are still signed in">
      <Stack align="start" gap="xs">
        <Text size="sm">{`The session is still open: ${signingOut.error.message}`}</Text>
        <Button size="xs" variant="default" onClick={() => signingOut.mutate()}>
          Try to sign out again
        </Button>
      </Stack>
    </Alert>
  )
}
