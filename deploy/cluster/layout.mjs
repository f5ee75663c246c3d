import { join } from 'node:path'

/** Where a cluster listens, and the configuration of its processes. */

/** The nodes of PostgreSQL, by number. */
export const nodes = [1, 2, 3]
/** API processes that HAProxy knows; those that do not run are left out by its checks. */
const apiProcesses = [0, 1, 2]

/**
 * @typedef {object} ClusterSettings What a cluster is started with. It stands in `cluster.json`.
 * @property {number} port The lowest port.
 * @property {boolean} synchronous Patroni's `synchronous_mode` at the start.
 * @property {number} ttl Seconds after which a leader that does not renew its lease is replaced; Patroni's least is 20.
 * @property {number} loopWait Seconds between two looks of Patroni at its node.
 * @property {number} maximumLagOnFailover A replica with more bytes of lag is not promoted.
 * @property {{ superuser: string, replicator: string, rewinder: string, plaza: string }} passwords
 */

/**
 * All ports of a cluster.
 *
 * @param {number} port The lowest.
 */
export function portsOf(port) {
  return {
    etcd: port,
    etcdPeers: port + 1,
    postgres: (/** @type {number} */ node) => port + 10 + node,
    patroni: (/** @type {number} */ node) => port + 20 + node,
    primary: port + 30,
    replicas: port + 31,
    statistics: port + 32,
    plaza: port + 33,
    api: (/** @type {number} */ index) => port + 50 + index,
  }
}

/** Every port that must be free. @param {number} port */
export function allPorts(port) {
  const ports = portsOf(port)
  return [
    ...[ports.etcd, ports.etcdPeers, ports.primary, ports.replicas, ports.statistics, ports.plaza],
    ...nodes.flatMap((node) => [ports.postgres(node), ports.patroni(node)]),
  ]
}

/** @param {string} dir @param {ClusterSettings} settings */
export function etcdArguments(dir, { port }) {
  const { etcd, etcdPeers } = portsOf(port)
  const clients = `http://127.0.0.1:${etcd}`
  const peers = `http://127.0.0.1:${etcdPeers}`
  return [
    ...['--name', 'etcd1', '--data-dir', join(dir, 'run/etcd')],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ...['--initial-cluster', `etcd1=${peers}`],
  ]
}

/**
 * The configuration of a node's Patroni, as JSON, which is YAML.
 *
 * @param {string} dir
 * @param {ClusterSettings} settings
 * @param {{ node: number, binaries: string }} options `binaries`: where PostgreSQL's programs are.
 */
export function patroniConfig(dir, settings, { node, binaries }) {
  const ports = portsOf(settings.port)
  const { passwords } = settings
  const rest = `127.0.0.1:${ports.patroni(node)}`
  const postgres = `127.0.0.1:${ports.postgres(node)}`
  const config = {
    scope: 'plaza',
    namespace: '/plaza/',
    name: `node${node}`,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: `127.0.0.1:${ports.etcd}` },
    bootstrap: {
      dcs: sharedSettings(settings),
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      pg_hba: [
        'host replication replicator 127.0.0.1/32 scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
      ],
    },
    postgresql: {
      listen: postgres,
      connect_address: postgres,
      data_dir: join(dir, `run/node${node}`),
      bin_dir: binaries,
      // A new replica does not wait for a checkpoint that is spread over minutes.
      basebackup: [{ checkpoint: 'fast' }],
      pgpass: join(dir, `run/pgpass${node}`),
      authentication: {
        superuser: { username: 'postgres', password: passwords.superuser },
        replication: { username: 'replicator', password: passwords.replicator },
        rewind: { username: 'rewinder', password: passwords.rewinder },
      },
      // A path of a socket has at most 107 bytes, which the directory may take alone.
      parameters: { unix_socket_directories: '' },
    },
  }
  return JSON.stringify(config, null, 2)
}

/** What Patroni keeps in etcd for all nodes. @param {ClusterSettings} settings */
function sharedSettings({ ttl, loopWait, maximumLagOnFailover, synchronous }) {
  return {
    ttl,
    loop_wait: loopWait,
    // `loop_wait + 2 * retry_timeout` may not be more than `ttl`.
    retry_timeout: Math.floor((ttl - loopWait) / 2),
    maximum_lag_on_failover: maximumLagOnFailover,
    synchronous_mode: synchronous,
    postgresql: {
      use_pg_rewind: true,
      use_slots: true,
      parameters: {
        wal_level: 'replica',
        hot_standby: 'on',
        max_connections: 200,
        max_wal_senders: 10,
        max_replication_slots: 10,
        wal_keep_size: '128MB',
        max_wal_size: '512MB',
        wal_log_hints: 'on',
        shared_buffers: '128MB',
        max_locks_per_transaction: 128,
        // A peer that is gone without a word is noticed in seconds, not in hours.
        tcp_user_timeout: 5000,
        tcp_keepalives_idle: 5,
        tcp_keepalives_interval: 2,
        tcp_keepalives_count: 3,
        client_connection_check_interval: 5000,
      },
    },
  }
}

/**
 * HAProxy asks Patroni which node is the primary and which are replicas, and Plaza which processes are ready.
 *
 * @param {ClusterSettings} settings
 */
export function proxyConfig({ port }) {
  const ports = portsOf(port)
  const postgres = nodes.map(
    (node) => `    server node${node} 127.0.0.1:${ports.postgres(node)} check port ${ports.patroni(node)}`,
  )
  const api = apiProcesses.map((index) => `    server api${index} 127.0.0.1:${ports.api(index)} check`)
  return `global
    maxconn 2000
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s
    retries 2
    option clitcpka
    option srvtcpka
${listen('primary', ports.primary, 'OPTIONS uri /primary', postgres)}
${listen('replicas', ports.replicas, 'OPTIONS uri /replica?lag=16MB', postgres, ['balance leastconn'])}
${listen('plaza', ports.plaza, 'GET uri /readyz', api, ['mode http', 'timeout client 120s', 'timeout server 120s'])}
listen statistics
    bind 127.0.0.1:${ports.statistics}
    mode http
    stats enable
    stats uri /
`
}

/**
 * @param {string} name
 * @param {number} port
 * @param {string} check The request that is answered with 200 by a server that is to be used.
 * @param {readonly string[]} servers
 * @param {readonly string[]} [more]
 */
function listen(name, port, check, servers, more = []) {
  return [
    `listen ${name}`,
    `    bind 127.0.0.1:${port}`,
    ...more.map((line) => `    ${line}`),
    '    option httpchk',
    `    http-check send meth ${check}`,
    '    http-check expect status 200',
    // A session to a node that is no longer the primary must end, or its writes fail until the client closes it.
    '    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
  ].join('\n')
}
