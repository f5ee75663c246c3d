import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { requestSession } from './api'

const pages = [
  { to: '/', label: 'Overview' },
  { to: '/apps', label: 'Apps and keys' },
  { to: '/changes', label: 'Changes' },
] as const

/** The frame of all pages: navigation, colour scheme, sign-out. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
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
            <ColorScheme />
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ to, label }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
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
      aria-label={`Use ${next} colours`}
      onClick={() => setColorScheme(next)}
    >
      {next === 'dark' ? '☾' : '☀'}
    </ActionIcon>
  )
}

function SignOut() {
  const navigate = useNavigate()
  async function signOut() {
    await requestSession('DELETE').catch(() => {})
    await navigate({ to: '/sign-in' })
  }
  return (
    <Button variant="default" size="xs" onClick={signOut}>
      Sign out
    </Button>
  )
}
