import { defineConfig, mergeConfig } from 'vitest/config'
import shared from '../../vitest.config.ts'

export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  defineConfig({ test: { include: ['test/clients/*.test.mjs'] } }),
)
