import { Counter, Gauge, type Registry } from 'prom-client'

/** Metrics of the scheduled jobs of this process. */
export type JobMetrics = ReturnType<typeof createJobMetrics>

/** Registers the metrics of scheduled jobs. Their label is not `job`, which Prometheus adds itself. */
export function createJobMetrics(registry: Registry) {
  const failures = new Counter({
    name: 'plaza_job_failures_total',
    help: 'Failed runs of a scheduled job in this process',
    labelNames: ['name'],
    registers: [registry],
  })
  const lastSuccess = new Gauge({
    name: 'plaza_job_last_success_timestamp_seconds',
    help: 'Unix time at which the last successful run of a scheduled job in this process ended',
    labelNames: ['name'],
    registers: [registry],
  })
  const lastFailure = new Gauge({
    name: 'plaza_job_last_failure_timestamp_seconds',
    help: 'Unix time at which the last failed run of a scheduled job in this process ended',
    labelNames: ['name'],
    registers: [registry],
  })
  return {
    /** Adds the count of a job that runs here for the first time: `increase` misses the first failure otherwise. */
    add: (name: string) => failures.inc({ name }, 0),
    failed(name: string, atMs: number): void {
      failures.inc({ name })
      lastFailure.set({ name }, atMs / 1000)
    },
    succeeded: (name: string, atMs: number) => lastSuccess.set({ name }, atMs / 1000),
  }
}
