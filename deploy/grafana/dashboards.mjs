// What the dashboards show. `npm run dashboards` writes it to dashboards/*.json, which Grafana reads.
import { chart, dashboard, number, row } from './panels.mjs'

/** The chosen processes. */
const P = 'job=~"$job",instance=~"$instance"'
const EVERY = '$__rate_interval'
/** Requests of callers: not those of probes, and of Prometheus. */
const CALLERS = `${P},route!~"/healthz|/readyz|/metrics"`
/** Streams end when their clients leave: how long they took says nothing. */
const ANSWERED = `${P},route!~"/healthz|/readyz|/metrics|/v1/events/stream|/admin/stream"`

const rate = (metric, by, labels = P) => `sum by (${by}) (rate(${metric}{${labels}}[${EVERY}]))`
/**
 * A counter of rare events appears with the first one, when `increase` has nothing to compare it with. One that was not scraped for
 * less than an hour is not new.
 */
const events = (metric, range, labels = P) =>
  `(${metric}{${labels}} unless last_over_time(${metric}{${labels}}[1h] offset ${range})) or increase(${metric}{${labels}}[${range}])`
const quantile = (share, metric, by, labels = P) =>
  `histogram_quantile(${share}, ${rate(`${metric}_bucket`, ['le', by].filter(Boolean).join(', '), labels)})`
const quantiles = (metric, labels = P) =>
  [0.5, 0.95, 0.99].map((share) => [quantile(share, metric, '', labels), `p${share * 100}`])

const HTTP = 'plaza_http_request_duration_seconds'
const requests = (labels) => `sum(rate(${HTTP}_count{${labels}}[${EVERY}]))`

const overview = dashboard('plaza-overview', 'Plaza: overview', 'Requests, processes, database and caches', [
  number('Processes', 'none', `sum(up{${P}}) or vector(0)`, { bad: 1, lowIsBad: true }),
  number(
    'Roles without a process',
    'none',
    // Nothing while the database is away: then nobody knows.
    `count(max by (job, role) (plaza_role_processes{job=~"$job"}) == 0) or (0 * count(plaza_role_processes{job=~"$job"}))`,
    {
      bad: 1,
    },
  ),
  number('Requests', 'reqps', requests(CALLERS)),
  number(
    'Failed',
    'percentunit',
    `(${requests(`${CALLERS},status=~"5..",status!="501"`)} or vector(0)) / ${requests(CALLERS)}`,
    {
      bad: 0.01,
      description: 'Replies of 500 and above, without 501: operations that are not served.',
    },
  ),
  number('p99', 's', quantile(0.99, HTTP, '', ANSWERED), { bad: 1 }),
  number(
    'Statements that PostgreSQL refuses',
    'none',
    `sum(increase(plaza_database_shortages_total{${P}}[1h]))`,
    {
      bad: 1,
      description:
        'In the last hour, because the disk or the memory of PostgreSQL is full, or it takes no writes.',
    },
  ),

  row('Requests'),
  chart('Requests by status', 'reqps', [[rate(`${HTTP}_count`, 'status', CALLERS), '{{status}}']], {
    stacked: true,
  }),
  chart('Latency', 's', quantiles(HTTP, ANSWERED)),
  chart('p99 of the ten slowest routes', 's', [
    [`topk(10, ${quantile(0.99, HTTP, 'route', ANSWERED)})`, '{{route}}'],
  ]),
  chart('The ten most used routes', 'reqps', [
    [`topk(10, ${rate(`${HTTP}_count`, 'route', CALLERS)})`, '{{route}}'],
  ]),
  chart(
    'Heavy requests',
    'none',
    [[`sum by (lane, state) (plaza_heavy_requests{${P}})`, '{{lane}} {{state}}']],
    {
      description: 'Those that wait have no free place (WORK_CONCURRENCY).',
    },
  ),
  chart('Heavy requests refused', 'reqps', [
    [rate('plaza_heavy_requests_refused_total', 'lane, reason'), '{{lane}}: {{reason}}'],
  ]),

  row('Processes'),
  chart('Live processes by role', 'none', [
    [`max by (job, role) (plaza_role_processes{job=~"$job"})`, '{{role}} ({{job}})'],
  ]),
  chart('Cores used', 'none', [[`rate(process_cpu_seconds_total{${P}}[${EVERY}])`, '{{instance}}']]),
  chart('Memory', 'bytes', [
    [`process_resident_memory_bytes{${P}}`, '{{instance}}'],
    [`nodejs_heap_size_used_bytes{${P}}`, '{{instance}} heap'],
  ]),
  chart('Event loop lag, p99', 's', [[`nodejs_eventloop_lag_p99_seconds{${P}}`, '{{instance}}']]),
  chart('Garbage collection', 'percentunit', [
    [`sum by (instance) (rate(nodejs_gc_duration_seconds_sum{${P}}[${EVERY}]))`, '{{instance}}'],
  ]),
  chart('Open files and sockets', 'none', [[`process_open_fds{${P}}`, '{{instance}}']]),
  chart('Failed runs of scheduled jobs', 'none', [
    [`sum by (name) (increase(plaza_job_failures_total{${P}}[1h]))`, '{{name}}'],
  ]),

  row('Database'),
  chart('Connections in use', 'none', [
    [`sum by (pool) (plaza_db_pool_connections{${P},state="held"})`, '{{pool}}'],
    [`sum(plaza_db_pool_connections{${P},state="size"})`, 'may be used'],
  ]),
  chart('Callers that wait for a connection', 'none', [
    [`sum by (pool, instance) (plaza_db_pool_connections{${P},state="waiting"})`, '{{pool}} of {{instance}}'],
  ]),
  chart('Lag of replicas', 's', [[`plaza_replica_lag_seconds{${P}}`, '{{replica}} from {{instance}}']]),
  chart('Reads of replicas', 'ops', [
    [rate('plaza_replica_reads_total', 'replica, outcome'), '{{replica}}: {{outcome}}'],
  ]),
  chart('Replicas in use', 'none', [[`sum by (replica) (plaza_replica_in_use{${P}})`, '{{replica}}']], {
    description: 'The number of processes that read from it.',
  }),
  chart('Statements that PostgreSQL refuses', 'ops', [
    [rate('plaza_database_shortages_total', 'shortage'), '{{shortage}}'],
  ]),

  row('Caches'),
  chart(
    'Share of hits',
    'percentunit',
    [
      [
        `${rate('plaza_cache_lookups_total', 'cache', `${P},result="hit"`)} / ${rate('plaza_cache_lookups_total', 'cache')}`,
        '{{cache}}',
      ],
    ],
    { max: 1 },
  ),
  chart('Size', 'bytes', [
    [`sum by (cache, instance) (plaza_cache_bytes{${P}})`, '{{cache}} of {{instance}}'],
  ]),
  chart('Entries', 'none', [
    [`sum by (cache, instance) (plaza_cache_entries{${P}})`, '{{cache}} of {{instance}}'],
  ]),
  chart(
    'Feeds read from the tables',
    'reqps',
    [[rate('plaza_feed_reads_total', 'feed, reason', `${P},result="miss"`), '{{feed}}: {{reason}}']],
    { description: 'The others are read from the window of recent casts.' },
  ),
  chart('Window of recent casts filled', 'none', [[`plaza_recent_window_filled{${P}}`, '{{instance}}']], {
    max: 1,
  }),
])

const deliveries = dashboard('plaza-deliveries', 'Plaza: deliveries', 'Webhooks and notifications', [
  number('Deliveries that wait', 'none', `max(plaza_webhook_queue_deliveries{${P},state="waiting"})`),
  number('Deliveries to be repeated', 'none', `max(plaza_webhook_queue_deliveries{${P},state="retrying"})`),
  number('From event to first attempt, p95', 's', quantile(0.95, 'plaza_webhook_lag_seconds'), { bad: 60 }),
  number('Consumers behind', 's', `max(plaza_consumer_lag_seconds{${P}})`, { bad: 300 }),
  number('Tokens that wait', 'none', `max(sum by (instance) (plaza_notification_tokens_waiting{${P}}))`),
  number('Campaigns not begun', 'none', `max(plaza_notification_campaigns_queued{${P}})`),

  row('Webhooks'),
  chart('Attempts by outcome', 'ops', [[rate('plaza_webhook_attempts_total', 'outcome'), '{{outcome}}']], {
    stacked: true,
    description: '`waiting` is repeated later, `failed` is given up.',
  }),
  chart('From event to first attempt', 's', quantiles('plaza_webhook_lag_seconds')),
  chart('Time until targets respond', 's', quantiles('plaza_webhook_attempt_duration_seconds')),
  chart('Queue', 'none', [[`max by (state) (plaza_webhook_queue_deliveries{${P}})`, '{{state}}']]),
  chart(
    'Consumers behind the event log',
    'none',
    [
      [
        `max by (job, consumer, shard) (plaza_consumer_lag_blocks{${P}})`,
        '{{consumer}}, shard {{shard}} ({{job}})',
      ],
    ],
    { description: 'Blocks.' },
  ),
  chart('Oldest block that a consumer has not processed', 's', [
    [
      `max by (job, consumer, shard) (plaza_consumer_lag_seconds{${P}})`,
      '{{consumer}}, shard {{shard}} ({{job}})',
    ],
  ]),
  chart('Readers whose position in the log was lost', 'none', [
    [`sum by (reader) (${events('plaza_log_resets_total', EVERY)})`, '{{reader}}'],
  ]),

  row('Notifications of mini apps'),
  chart('Tokens by outcome', 'ops', [[rate('plaza_notification_attempts_total', 'outcome'), '{{outcome}}']], {
    stacked: true,
  }),
  chart('Tokens that wait', 'none', [
    [`max by (state) (plaza_notification_tokens_waiting{${P}})`, '{{state}}'],
  ]),
  chart('Campaigns not begun', 'none', [[`max(plaza_notification_campaigns_queued{${P}})`, 'campaigns']]),
])

const network = dashboard(
  'plaza-network',
  'Plaza: hub and network',
  'Merges, sync, chains, gRPC and accounts',
  [
    number('Merged messages', 'ops', `sum(rate(plaza_merges_total{${P},outcome="merged"}[${EVERY}]))`),
    number('Not in the log yet', 'none', `max(plaza_event_lag_messages{${P}})`, { bad: 1000 }),
    number('Behind the network', 's', `max(min by (job, shard) (plaza_sync_block_age_seconds{${P}}))`, {
      bad: 120,
    }),
    number(
      'Events lost in an hour',
      'none',
      `sum(${events('plaza_sync_missed_events_total', '1h', `${P},state="lost"`)}) or (0 * count(plaza_sync_upstream_age_seconds{${P}}))`,
      {
        bad: 1,
      },
    ),
    number(
      'Chain behind',
      'none',
      `max(plaza_chain_lag_blocks{${P}} and on (job, follower) plaza_chain_read_age_seconds{${P}})`,
      {
        bad: 1000,
        description: 'Blocks, of the followers that a process runs; without tokens whose history is read.',
      },
    ),
    number('gRPC subscribers', 'none', `sum(plaza_grpc_subscribers{${P}})`),

    row('Hub'),
    chart('Messages by type', 'ops', [[rate('plaza_merges_total', 'type'), '{{type}}']], { stacked: true }),
    chart('Messages by outcome', 'ops', [[rate('plaza_merges_total', 'outcome'), '{{outcome}}']]),
    chart('Accepted, not in the log yet', 'none', [[`plaza_event_lag_messages{${P}}`, '{{instance}}']]),
    chart(
      'gRPC calls',
      'reqps',
      [[rate('plaza_grpc_call_duration_seconds_count', 'method, status'), '{{method}} {{status}}']],
      { description: 'By the number of their status: 0 is a reply, 13 and 14 are failures of the server.' },
    ),
    chart('gRPC calls, p99', 's', [
      [quantile(0.99, 'plaza_grpc_call_duration_seconds', 'method'), '{{method}}'],
    ]),
    chart('Events sent over gRPC', 'ops', [
      [rate('plaza_grpc_events_sent_total', 'instance'), '{{instance}}'],
    ]),

    row('Sync with an upstream'),
    chart('Behind the network', 's', [
      [`min by (job, shard) (plaza_sync_block_age_seconds{${P}})`, 'shard {{shard}} ({{job}})'],
    ]),
    chart('Items by outcome', 'ops', [[rate('plaza_sync_items_total', 'outcome'), '{{outcome}}']]),
    chart('Disconnects', 'ops', [[rate('plaza_sync_disconnects_total', 'status'), '{{status}}']]),
    chart('Missed events', 'none', [
      [`sum by (state) (${events('plaza_sync_missed_events_total', EVERY)})`, '{{state}}'],
    ]),
    chart('Differences found by comparing', 'ops', [
      [rate('plaza_sync_differences_total', 'side'), '{{side}}'],
    ]),
    chart(
      'Published messages in the queue',
      'none',
      [[`max by (state) (plaza_publish_queue_messages{${P}})`, '{{state}}']],
      {
        description: 'Published here: pending ones wait for the upstream, refused ones are kept for a week.',
      },
    ),
    chart('Oldest published message that waits', 's', [
      [`max(plaza_publish_oldest_pending_seconds{${P}})`, 'oldest'],
    ]),
    chart('Published messages by outcome', 'ops', [
      [rate('plaza_publish_messages_total', 'outcome'), '{{outcome}}'],
    ]),
    chart(
      'Importers configured',
      'none',
      [[`max by (importer) (plaza_importer_configured{${P}})`, '{{importer}}']],
      {
        max: 1,
      },
    ),

    row('Chains'),
    chart('Blocks behind', 'none', [
      [`min by (job, follower) (plaza_chain_lag_blocks{${P}})`, '{{follower}} ({{job}})'],
    ]),
    chart('Cursor', 'none', [
      [`max by (job, follower) (plaza_chain_next_block{${P}})`, '{{follower}} ({{job}})'],
    ]),
    chart('Age of the newest block', 's', [
      [`max by (job, network) (plaza_chain_head_age_seconds{${P}})`, '{{network}} ({{job}})'],
    ]),
    chart('Logs handled', 'ops', [[rate('plaza_chain_logs_total', 'follower'), '{{follower}}']]),
    chart('Failures of RPC endpoints', 'ops', [
      [rate('plaza_chain_rpc_failures_total', 'network, endpoint'), '{{network}}: {{endpoint}}'],
    ]),
    chart('Endpoints that contradict, reorganizations', 'ops', [
      [rate('plaza_chain_rpc_mismatches_total', 'network'), '{{network}}: contradict'],
      [rate('plaza_chain_reorgs_total', 'follower, depth'), '{{follower}}: {{depth}} reorganization'],
    ]),
    chart('Questions about names and wallets', 'ops', [
      [rate('plaza_chain_lookups_total', 'network, outcome'), '{{network}}: {{outcome}}'],
    ]),

    row('Accounts'),
    chart('Pool of fids', 'none', [[`max by (state) (plaza_fid_pool_size{${P}})`, '{{state}}']], {
      width: 12,
    }),
    chart(
      'Registrations and transactions under way',
      'none',
      [[`max by (kind) (plaza_registrations_pending{${P}})`, '{{kind}}']],
      { width: 12 },
    ),
  ],
)

export const dashboards = { overview, deliveries, network }
