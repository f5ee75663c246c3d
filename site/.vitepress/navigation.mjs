const docs = (names) => Object.entries(names).map(([name, text]) => ({ text, link: `/docs/${name}` }))

/** The documents by task. A page that does not exist is left out. */
export const navigation = [
  {
    text: 'Start',
    items: [
      { text: 'What it is, and a tour', link: '/' },
      { text: 'Examples', link: '/examples/README' },
      ...docs({
        requests: 'A request of each group',
        console: 'The console',
        'local-network': 'A local network',
      }),
    ],
  },
  {
    text: 'Build',
    items: docs({
      api: 'The API',
      errors: 'Errors',
      apps: 'Apps and keys',
      signers: 'Signers',
      'sign-in': 'Sign-in',
      publishing: 'Publish',
      notifications: 'Notifications',
      channels: 'Channels',
      moderation: 'Moderation',
      webhooks: 'Webhooks',
      miniapps: 'Mini apps',
      accounts: 'Accounts',
      tokens: 'Tokens',
      payments: 'Payments',
      subscriptions: 'Subscriptions',
      'hub-api': 'The hub API',
    }),
  },
  {
    text: 'Migrate',
    items: docs({ migrate: 'Migrate an app', compatibility: 'Compatibility' }),
  },
  {
    text: 'Operate',
    items: docs({
      operate: 'Operate a server',
      deploy: 'Containers',
      configuration: 'Configuration',
      commands: 'Commands',
      monitoring: 'Monitoring',
      clusters: 'PostgreSQL clusters',
      scaling: 'Scaling',
      'follow-the-network': 'Follow the real network',
      sync: 'Sync',
      chains: 'Chains',
      ai: 'Language models',
      performance: 'Performance',
    }),
  },
  {
    text: 'Understand',
    items: [
      ...docs({
        architecture: 'Architecture',
        protocol: 'Protocol',
        'read-model': 'Read model',
        score: 'Score',
        topics: 'Topics',
        testing: 'Tests',
      }),
      { text: 'Contribute', link: '/CONTRIBUTING' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
  },
]
