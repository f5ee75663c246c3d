import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // Small files inline would need `data:` in the policy of the page for more than pictures.
    assetsInlineLimit: 0,
    sourcemap: false,
    target: 'es2022',
  },
  html: { cspNonce: '__NONCE__' },
})
